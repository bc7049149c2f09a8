// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
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

  @Test("--add refuses a manifest whose board has no profile, as check does")
  func unknownBoard() throws {
    let text =
      "schema = 1\n[gateway]\nboard = \"nonesuch\"\n[app.lights]\nuser = \"daemon\"\nsupports = [\"Bluetooth\"]\n"
    let path = try folder.file("board.toml", text)
    let elsewhere = try suggest("--app", "lights", "--manifest", path)
    #expect(
      elsewhere.status == 0 && elsewhere.errorOutput.contains("could not be checked"),
      "\(elsewhere.errorOutput)")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/board", withIntermediateDirectories: false)
    _ = try folder.file("board/mine.toml", "schema = 1\n")
    let run = try suggest("--app", "lights", "--manifest", path, "--add")
    #expect(run.status == 65 && run.errorOutput.contains("there are: generic, mine"), "\(run.errorOutput)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test("--add adds an app that the manifest does not have, and creates its account as setup does")
  func newApp() throws {
    let shown = try suggest("--app", "climate", "--user", "games", "--manifest", manifest)
    #expect(shown.status == 0, "\(shown.errorOutput)")
    #expect(shown.text.contains("\n+[app.climate]\n+user = \"games\"\n+supports = [\"Bluetooth\"]\n"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: manifest)) == Data(Self.text))
    let run = try suggest("--app", "climate", "--user", "games", "--manifest", manifest, "--add")
    #expect(run.status == 0 && run.text == shown.text, "\(run.errorOutput)")
    #expect(try Tool.run("check", manifest).status == 0)
    let found = try Tool.run("try", "climate/bthome", "--capture", capture, "--manifest", manifest)
    #expect(found.status == 0, "\(found.text)")
  }

  @Test("Without a name the account of a new app has the app's; root creates it, and others have to")
  func newAccount() throws {
    let programs = folder.path + "/programs"
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
    try ProgramFile.writeScript(
      "#!/bin/sh\necho \"$*\" >> \(folder.path)/calls\n", to: programs + "/useradd")
    let run = try Tool.shell(
      #"PATH="$1:$PATH" exec "$TOOL" suggest "$2" --capture "$3" --app no-such-app --manifest "$4" --add </dev/null"#,
      programs, Self.thermometer, capture, manifest)
    let calls = try? String(contentsOfFile: folder.path + "/calls", encoding: .utf8)
    let text = try String(contentsOfFile: manifest, encoding: .utf8)
    if geteuid() == 0 {
      #expect(run.status == 0, "\(run.errorOutput)")
      #expect(calls == "--system --no-create-home --shell /usr/sbin/nologin no-such-app\n")
      #expect(run.errorOutput.contains("created the account no-such-app (useradd)"))
      #expect(text.contains("\n[app.no-such-app]\nuser = \"no-such-app\"\n"))
    } else {
      #expect(
        run.status == 77 && run.errorOutput.contains("there is no account \"no-such-app\" for the new app"))
      #expect(calls == nil && text == String(decoding: Self.text, as: UTF8.self))
    }
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
    try refused(
      64, "there is no group \"no-such-group\"", "--app", "climate", "--group", "no-such-group", "--manifest",
      manifest)
    try refused(
      64, "the manifest gives the app \"lights\" another account", "--app", "lights", "--user", "games",
      "--manifest", manifest)
    try refused(64, "--user and --group need --app", "--user", "games")
    try refused(66, "there is no such file", "--app", "lights", "--manifest", folder.path + "/none")
    let broken = try folder.file("broken.toml", "schema = 1\n[app.lights\n")
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
