// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ManifestEdits
import ManifestFormat
import Testing

/// An item comes into a manifest, and nothing else of the text changes.
@Suite struct ManifestAdditionTests {
  private static let item = """
    schema = 1
    [app.new]
    user = "daemon"
    supports = ["Bluetooth"]
    bluetooth-services = ["fcd2"]
    bluetooth-names = ["ATC_"]

    # From 30 reports. Its layout is BTHome.
    [[app.new.item]]
    name = "Thermometer"
    descriptor.bluetooth-service-uuid = "fcd2"
    descriptor.bluetooth-service-data-blob = "40"
    descriptor.bluetooth-service-data-mask = "e0"
    descriptor.bluetooth-name-substring = "ATC_"

    """

  private static func added(to manifest: String, app: String = "lights", _ item: String = item) throws
    -> String
  {
    let result = try ManifestAddition.add(
      try #require(SuggestedItem(reading: item)), to: app, of: Array(manifest.utf8),
      fileName: "accessoryd.toml")
    return String(decoding: result.text, as: UTF8.self)
  }

  @Test("The item comes after the app's other items, and its declarations into the app's lists")
  func addition() throws {
    let manifest = """
      schema = 1  # keep me

      [app.lights]  # "the" lights
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-company-identifiers = ["0x0EEE"]
      bluetooth-services = [  # all of [them]
        "FE59",  # bootloader
        'FE0F'   # lamp
      ]

      [[app.lights.item]]
      name = "Lumo # 1"
      descriptor.bluetooth-company-identifier = "0x0EEE"

      # What the climate app gets.
      [app.climate]
      user = "games"
      supports = ["Bluetooth"]

      """
    let expected = """
      schema = 1  # keep me

      [app.lights]  # "the" lights
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-company-identifiers = ["0x0EEE"]
      bluetooth-services = [  # all of [them]
        "FE59",  # bootloader
        'FE0F',   # lamp
        "fcd2"
      ]
      bluetooth-names = ["ATC_"]

      [[app.lights.item]]
      name = "Lumo # 1"
      descriptor.bluetooth-company-identifier = "0x0EEE"

      # From 30 reports. Its layout is BTHome.
      [[app.lights.item]]
      name = "Thermometer"
      descriptor.bluetooth-service-uuid = "fcd2"
      descriptor.bluetooth-service-data-blob = "40"
      descriptor.bluetooth-service-data-mask = "e0"
      descriptor.bluetooth-name-substring = "ATC_"

      # What the climate app gets.
      [app.climate]
      user = "games"
      supports = ["Bluetooth"]

      """
    #expect(try Self.added(to: manifest) == expected)
  }

  @Test(
    "Lists of every form take a further element",
    arguments: [
      ("[]", #"["fcd2"]"#), ("[ ]", #"["fcd2" ]"#), (#"["FE59"]"#, #"["FE59", "fcd2"]"#),
      (#"[ "FE59" , ]"#, #"[ "FE59" , "fcd2" ]"#),
      ("[\n  'FE59',\n]  # two", "[\n  'FE59',\n  \"fcd2\",\n]  # two"),
      ("['FE59',\n'FE0F'\n]", "['FE59',\n'FE0F',\n\"fcd2\"\n]"),
      ("['FE59' # ]\n]", "['FE59', # ]\n  \"fcd2\"\n]"),
    ])
  func lists(before: String, after: String) throws {
    func manifest(_ list: String) -> String {
      "schema = 1\n[app.lights]\nuser = \"daemon\"\nsupports = [\"Bluetooth\"]\nbluetooth-names = [\"ATC_\"]\n"
        + "bluetooth-services = \(list)\n"
    }
    #expect(try Self.added(to: manifest(before)).hasPrefix(manifest(after) + "\n# From 30 reports."))
  }

  @Test("What is declared already is not declared again, and an id that is taken gets a number")
  func repetition() throws {
    let once = try Self.added(to: "schema = 1\n[app.lights]\nuser = \"daemon\"\nsupports = [\"WiFi\"]")
    #expect(once.contains("supports = [\"WiFi\", \"Bluetooth\"]\n"))
    let narrower = Self.item.replacing("\"e0\"", with: "\"ff\"")
    let twice = try Self.added(to: once, narrower)
    #expect(twice.hasPrefix(once))
    #expect(
      twice.dropFirst(once.count).contains(
        "[[app.lights.item]]\nid = \"thermometer-2\"\nname = \"Thermometer\"\n"))
    #expect(twice.split(separator: "\n").count { $0.contains("bluetooth-services") } == 1)
  }

  @Test("An item that asks for the same is not added again")
  func again() throws {
    let once = try Self.added(to: "schema = 1\n[app.lights]\nuser = \"daemon\"\nsupports = [\"Bluetooth\"]\n")
    #expect(throws: ManifestAdditionError.known(item: "thermometer")) { try Self.added(to: once) }
  }

  @Test(
    "Keys that are commented out stay with their item; comments before the next table stay with that",
    arguments: [
      ("# range = 1\n\n", true), ("# range = 1\n", true), ("# range = 1\n[app.other]\n", false),
      ("\n# range = 1\n", false),
    ])
  func commentedKeys(rest: String, isBefore: Bool) throws {
    let account = "user = \"daemon\"\nsupports = [\"Bluetooth\"]\n"
    let manifest =
      "schema = 1\n[app.lights]\n" + account
      + "bluetooth-services = [\"fcd2\"]\nbluetooth-names = [\"ATC_\"]\n"
      + "[[app.lights.item]]\nname = \"A\"\ndescriptor.bluetooth-service-uuid = \"fcd2\"\n"
      + rest.replacing("[app.other]\n", with: "[app.other]\n" + account)
    let lines = try Self.added(to: manifest).split(separator: "\n")
    let comment = try #require(lines.firstIndex(of: "# range = 1"))
    let item = try #require(lines.firstIndex(of: "name = \"Thermometer\""))
    #expect((comment < item) == isBefore)
  }

  @Test("Names with dots are quoted, and told apart from the keys of other apps")
  func dottedNames() throws {
    let account = "user = \"daemon\"\nsupports = [\"Bluetooth\"]\n"
    let apps = ["app.com", "app . 'com.item'", "app.\"com.item.lights\""].map { "[\($0)]\n" + account }
    let other =
      "[[app.com.item]]\nname = \"A\"\ndescriptor.bluetooth-service-uuid = \"fe0f\"\n"
    let services = "bluetooth-services = [\"fe0f\"]\n"
    let manifest = "schema = 1\n" + apps[0] + services + other + apps[1] + apps[2]
    let text = try Self.added(to: manifest, app: "com.item")
    #expect(
      text.hasPrefix(
        "schema = 1\n" + apps[0] + services + other + apps[1] + "bluetooth-services = [\"fcd2\"]\n"))
    #expect(text.contains("\n[[app.\"com.item\".item]]\nname = \"Thermometer\"\n") && text.hasSuffix(apps[2]))
  }

  @Test("Line breaks stay as the text has them")
  func lineBreaks() throws {
    let manifest = "schema = 1\r\n[app.lights]\r\nuser = \"daemon\"\r\nsupports = [\"Bluetooth\"]\r\n"
    let text = try Self.added(to: manifest)
    #expect(text.utf8.count { $0 == 0x0A } == text.utf8.count { $0 == 0x0D })
  }

  @Test("What cannot be added is refused with its reason")
  func refusals() throws {
    let app = "[app.lights]\nuser = \"daemon\"\nsupports = [\"Bluetooth\"]\n"
    #expect(throws: ManifestAdditionError.unknownApp(known: ["lights"])) {
      try Self.added(to: "schema = 1\n" + app, app: "climate")
    }
    #expect(throws: ManifestAdditionError.unusualLayout) {
      try Self.added(to: "schema = 1\napp.lights.user = \"daemon\"\napp.lights.supports = [\"Bluetooth\"]\n")
    }
    let broken = #expect(throws: ManifestAdditionError.self) { try Self.added(to: "schema = 2\n" + app) }
    guard case .brokenManifest(let diagnostics)? = broken else {
      return #expect(Bool(false), "it was accepted")
    }
    #expect(diagnostics.count == 1)
    let items = ["[]", "[{name = \"a\", descriptor.bluetooth-service-uuid = \"fcd2\"}]"]
    let inline = items.map { app + "item = \($0)\nbluetooth-services = [\"fcd2\"]\n" }
    for text in inline + ["[app]\nlights = {user = \"daemon\", supports = [\"Bluetooth\"]}\n"] {
      #expect(throws: ManifestAdditionError.unusualLayout, "\(text)") {
        try Self.added(to: "schema = 1\n" + text)
      }
      #expect(throws: ManifestAdditionError.unusualLayout, "\(text)") {
        try ManifestAddition.checkLayout(ofApp: "lights", in: Array("schema = 1\n\(text)".utf8))
      }
    }
  }

  @Test("Warnings are those that the item causes")
  func warnings() throws {
    let manifest = """
      schema = 1
      [app.lights]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-company-identifiers = ["0x0EEE"]
      [[app.lights.item]]
      name = "Broad"
      descriptor.bluetooth-company-identifier = "0x0EEE"
      """
    let broad = Self.item.split(separator: "\n").filter { !$0.contains("-data-") && !$0.contains("-name") }
    let result = try ManifestAddition.add(
      try #require(SuggestedItem(reading: broad.joined(separator: "\n"))), to: "lights",
      of: Array(manifest.utf8),
      fileName: "accessoryd.toml")
    #expect(result.warnings.map(\.keyPath) == ["app.lights.item[1].descriptor"])
  }
}

extension SuggestedItem {
  /// The first item of a manifest, with the comments above its header.
  fileprivate init?(reading text: String) {
    guard
      let item = ManifestReader.read(text: Array(text.utf8), fileName: "").manifest?.apps.first?.items.first
    else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let header = lines.firstIndex { $0.hasPrefix("[[") } ?? 0
    self.init(
      name: item.name, descriptor: item.descriptor,
      comments: lines[..<header].reversed().prefix { $0.hasPrefix("#") }.reversed())
  }
}
