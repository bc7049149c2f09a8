// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// suggest over a capture: the item as a manifest, and what it changes in one.
@Suite struct SuggestTests {
  private static let thermometer = "A4:C1:38:FE:43:F8"

  private let folder: TemporaryFolder
  private let capture: String
  private let manifest: String

  init() throws {
    folder = try TemporaryFolder()
    capture = try folder.file("room.btsnoop", Captures.scene)
    manifest = try folder.file("manifest.toml", Self.text)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: manifest)
  }

  private static let text = Array(
    """
    schema = 1
    # A comment to keep.
    [app.lights]
    user = "daemon"
    supports = ["Bluetooth"]

    """.utf8)

  private func suggest(_ arguments: String...) throws -> Tool.Run {
    try Tool.run(["suggest", Self.thermometer, "--capture", capture] + arguments)
  }

  @Test("--app prints a difference that patch accepts, and changes nothing")
  func difference() throws {
    let run = try suggest("--app", "lights", "--manifest", manifest)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.text.hasPrefix("--- \(manifest)\n+++ \(manifest)\n@@ -3,3 +3,"))
    #expect(run.text.contains("\n+bluetooth-services = [\"fcd2\"]\n"))
    #expect(run.text.contains("\n+[[app.lights.item]]\n"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: manifest)) == Data(Self.text))
  }

  @Test("--add changes the manifest, keeps its mode, and prints the difference")
  func addition() throws {
    let shown = try suggest("--app", "lights", "--manifest", manifest)
    let link = folder.path + "/link.toml"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: manifest)
    let run = try suggest("--app", "lights", "--manifest", link, "--add")
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.text == shown.text.replacingOccurrences(of: manifest, with: link))
    #expect(run.errorOutput.contains("has the item now; accessoryctl reload makes the agent read it"))
    let text = try String(contentsOfFile: manifest, encoding: .utf8)
    #expect(text.contains("# A comment to keep.\n") && text.contains("[[app.lights.item]]\n"))
    let attributes = try FileManager.default.attributesOfItem(atPath: manifest)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
        "link.toml", "manifest.toml", "room.btsnoop",
      ])
    #expect(try Tool.run("check", manifest).status == 0)
    let found = try Tool.run("try", "lights/bthome", "--capture", capture, "--manifest", manifest)
    #expect(found.status == 0, "\(text)")
  }

  @Test("A manifest that cannot take the item is refused with a sentence, and stays as it is")
  func refusals() throws {
    func refused(_ status: Int32, _ sentence: String, _ arguments: String...) throws {
      let run = try Tool.run(["suggest", Self.thermometer, "--capture", capture, "--add"] + arguments)
      #expect(run.status == status, "\(arguments) \(run.errorOutput)")
      #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
      #expect(run.output.isEmpty || status == 77)
    }
    try refused(64, "--add needs --app")
    try refused(64, "has no app \"climate\"; name one of: lights", "--app", "climate", "--manifest", manifest)
    try refused(66, "there is no such file", "--app", "lights", "--manifest", folder.path + "/none")
    let broken = try folder.file("broken.toml", Array("schema = 1\n[app.lights\n".utf8))
    try refused(65, "broken.toml:2:", "--app", "lights", "--manifest", broken)
    let dotted = try folder.file(
      "dotted.toml",
      Array("schema = 1\napp.lights.user = \"daemon\"\napp.lights.supports = [\"Bluetooth\"]\n".utf8))
    try refused(65, "has no table [app.lights]", "--app", "lights", "--manifest", dotted)
    let name = try folder.file(
      "name.toml",
      Array("schema = 1\n[app]\n'a.b'.user = \"daemon\"\n'a.b'.supports = [\"Bluetooth\"]\n".utf8))
    try refused(65, #"has no table [app."a.b"]"#, "--app", "a.b", "--manifest", name)
    try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: manifest)
    try refused(77, "Permission denied", "--app", "lights", "--manifest", manifest)
    #expect(try Data(contentsOf: URL(fileURLWithPath: manifest)) == Data(Self.text))
  }

  @Test("Warnings are on standard error where the output is no terminal, and in the JSON")
  func warnings() throws {
    let short = try folder.file("short.btsnoop", Array(Captures.scene.prefix(4096)))
    let run = try Tool.run("suggest", Self.thermometer, "--capture", short)
    #expect(run.errorOutput.contains("accessoryctl: warning: "), "\(run.errorOutput)")
    #expect(run.text.contains("# Warning: "))
    let json = try Tool.run("suggest", Self.thermometer, "--capture", short, "--json")
    #expect(json.text.contains(#""warnings":["#) && !json.errorOutput.contains("warning: The"))
    try expectValid(json.output, "suggest")
  }
}
