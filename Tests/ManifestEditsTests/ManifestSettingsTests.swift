// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ManifestEdits
import ManifestFormat
import Testing

/// Keys of `[gateway]` get values, and nothing else of the text changes.
@Suite struct ManifestSettingsTests {
  private func set(_ values: [(GatewayKey, String)], in text: String) throws -> String {
    let pairs = values.map { (key: $0.0, value: $0.1) }
    return String(decoding: try ManifestSettings.set(pairs, in: Array(text.utf8)), as: UTF8.self)
  }

  private func error(_ values: [(GatewayKey, String)], in text: String) -> ManifestAdditionError? {
    #expect(throws: ManifestAdditionError.self) { _ = try set(values, in: text) }
  }

  @Test("A key that is there gets the value, and its comment stays; another one ends its table")
  func keys() throws {
    let text = """
      # mine
      schema = 1

      [gateway]  # here
      radio   =  "any" # the first
      scan = "passive"

      # of lights
      [app.lights]
      user = "daemon"
      supports = ["Bluetooth"]

      """
    #expect(
      try set([(.radio, "hci1"), (.board, "raspberry-pi-4")], in: text)
        == text.replacing("\"any\"", with: "\"hci1\"")
        .replacing("scan = \"passive\"\n", with: "scan = \"passive\"\nboard = \"raspberry-pi-4\"\n"))
    #expect(try set([], in: text) == text)
  }

  @Test("A manifest without the table gets one, before every other table")
  func noTable() throws {
    #expect(
      try set([(.radio, "hci0"), (.board, "b")], in: "schema = 1")
        == "schema = 1\n\n[gateway]\nradio = \"hci0\"\nboard = \"b\"\n")
    let text = "schema = 1\r\n# of lights\r\n[app.a]\r\nuser = \"daemon\"\r\nsupports = [\"WiFi\"]\r\n"
    #expect(
      try set([(.radio, "any")], in: text)
        == text.replacing("schema = 1\r\n", with: "schema = 1\r\n\r\n[gateway]\r\nradio = \"any\"\r\n"))
  }

  @Test("A value is quoted, and a file's name may have any character")
  func quoting() throws {
    let text = try set([(.radio, "h4:a \"b\"\\c")], in: "schema = 1\n")
    #expect(text.contains(#"radio = "h4:a \"b\"\\c""#))
    #expect(
      ManifestReader.read(text: Array(text.utf8), fileName: "").manifest?.gateway.radio == .h4("a \"b\"\\c"))
  }

  @Test("A table that is written in another way, a manifest with mistakes and a wrong value are refused")
  func refusals() {
    let values = [(GatewayKey.radio, "hci0")]
    #expect(error(values, in: "schema = 1\ngateway.radio = \"any\"\n") == .unusualLayout)
    #expect(error(values, in: "schema = 1\ngateway = { radio = \"any\" }\n") == .unusualLayout)
    if case .brokenManifest? = error(values, in: "schema = 2\n") {
    } else {
      Issue.record("a wrong schema is accepted")
    }
    if case .refused? = error([(.radio, "tea")], in: "schema = 1\n") {
    } else {
      Issue.record("tea is a radio")
    }
  }
}
