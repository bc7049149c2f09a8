// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import JSON
import Testing
import ToolText
import Varlink

/// registry import-bonds before a stand-in for the agent.
@Suite("Importing bonds")
struct ImportBondsTests {
  private static let key = "F2B7B40E56B1F9CAC9E215029233F476"
  private static let identityKey = "EC0234A357C8AD05341010A60A397D9B"
  private static let info = """
    [IdentityResolvingKey]
    Key=\(identityKey)
    [PeripheralLongTermKey]
    Key=\(key)
    Authenticated=3
    EncSize=16
    EDiv=0
    Rand=258
    [General]
    AddressType=static
    """
  /// The address of the stand-in's adapter and of its accessory.
  private static let adapter = "DC:A6:32:00:00:01"
  private static let lock = "C4:A1:00:00:1E:27"

  private func folder(adapter: String = adapter, device: String = lock, _ info: String = info) throws
    -> TemporaryFolder
  {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/\(adapter)/\(device)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data(info.utf8).write(to: URL(fileURLWithPath: path + "/info"))
    return folder
  }

  private func run(
    _ folder: TemporaryFolder, _ arguments: String..., answer: [UInt8] = PickerSamples.empty
  ) throws -> (Tool.Run, StandInAgent) {
    let agent = try StandInAgent([], ["List": PickerSamples.list(), "ImportBond": [answer]])
    let run = try Tool.run(
      ["registry", "import-bonds", "--socket", agent.path, "--bluetooth-folder", folder.path] + arguments)
    #expect(!Self.hasKey(run.text) && !Self.hasKey(run.errorOutput), "no key is printed, nor a part of one")
    return (run, agent)
  }

  /// Whether eight digits in a row of a key are in a text.
  private static func hasKey(_ text: String) -> Bool {
    let text = text.uppercased()
    return [key, identityKey].contains { key in
      (0...key.count - 8).contains { text.contains(key.dropFirst($0).prefix(8)) }
    }
  }

  private static func changed(_ text: String, to other: String) -> String {
    info.replacingOccurrences(of: text, with: other)
  }

  @Test("The bond of an accessory is handed over with its keys, which are not printed")
  func imports() throws {
    let (run, agent) = try run(try folder())
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.text == "\(Self.lock) (\"Lumo bulb\"): the gateway has its bond\n")
    let call = try agent.call("ImportBond")
    let line = try ImportedBondLine(reading: JSONObjectReader(call))
    #expect(line.device == Self.lock && line.addressType == .random && line.owner == .gateway)
    #expect(line.identityKey == Hex(digits: Self.identityKey))
    #expect(line.longTermKeys.map(\.value) == [Hex(digits: Self.key)])
    #expect(line.longTermKeys.first?.random == Hex([2, 1, 0, 0, 0, 0, 0, 0]))
    #expect(line.longTermKeys.first?.kind == 3 && line.linkKey == nil)
  }

  @Test("With --identity-only no key but the identity key leaves the folder")
  func identityOnly() throws {
    let (run, agent) = try run(try folder(), "--identity-only")
    #expect(run.text == "\(Self.lock) (\"Lumo bulb\"): the gateway recognises it\n", "\(run.errorOutput)")
    let line = try ImportedBondLine(reading: JSONObjectReader(try agent.call("ImportBond")))
    #expect(line.owner == .bluetoothd && line.longTermKeys.isEmpty && line.isAuthenticated == true)
    #expect(line.identityKey == Hex(digits: Self.identityKey))
  }

  @Test("Bonds of other adapters, other devices and other types of address are left alone")
  func others() throws {
    for folder in [
      try folder(adapter: "DC:A6:32:00:00:02"), try folder(device: "C4:A1:00:00:1E:28"),
      try folder(Self.info.replacingOccurrences(of: "static", with: "public")),
    ] {
      let (run, _) = try run(folder)
      #expect(run.status == 1 && run.output.isEmpty)
      #expect(run.errorOutput.contains("has no bond of the agent's adapter with an accessory"))
    }
  }

  @Test("A damaged file and a refused bond are a sentence each, and exit status 1")
  func failures() throws {
    let (damaged, _) = try run(try folder(Self.changed("EncSize=16", to: "EncSize=3")))
    #expect(damaged.status == 1)
    #expect(
      damaged.errorOutput.hasSuffix(
        "EncSize of [PeripheralLongTermKey] is missing or damaged; its bond cannot be taken over: remove the "
          + "accessory, and set it up again\n"))
    let (unknown, _) = try run(try folder(Self.changed("EncSize=16", to: "EncSize=3")), "--identity-only")
    #expect(unknown.status == 1)
    #expect(unknown.errorOutput.contains("remove the device with bluetoothctl remove"))
    // The same damage beside the accessory's file, in that of a device that is none, and of another adapter.
    for (adapter, device) in [(Self.adapter, "C4:A1:00:00:1E:28"), ("DC:A6:32:00:00:02", Self.lock)] {
      let folder = try folder()
      let path = "\(folder.path)/\(adapter)/\(device)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data(Self.changed("EncSize=16", to: "EncSize=3").utf8).write(
        to: URL(fileURLWithPath: path + "/info"))
      let (run, _) = try run(folder)
      #expect(run.status == 0, "\(run.errorOutput)")
      #expect(
        run.errorOutput.hasSuffix("is missing or damaged; no accessory of the agent's adapter needs it\n"))
    }
    let refusal = PickerSamples.failure("Invalid", [("field", "device"), ("reason", "it is being paired")])
    let (refused, _) = try run(try folder(), answer: refusal)
    #expect(refused.status == 1 && refused.output.isEmpty)
    let sentence = "(\"Lumo bulb\"): its bond was not taken over: it is being paired\n"
    #expect(refused.errorOutput.hasSuffix(sentence), "\(refused.errorOutput)")
  }

  @Test(
    "A damaged key shows none of its digits, wherever they stand in the file",
    arguments: [
      (key, String(key.prefix(16))), (key, key + "00"), (key, "G\(key.dropFirst())"),
      (key, "\(key.prefix(24))        "), (identityKey, String(identityKey.prefix(12))),
      ("EncSize=16", "EncSize=\(key)"), ("Rand=258", "Rand=\(key)\n\(key)=\(key)"),
      ("[PeripheralLongTermKey]", "[PeripheralLongTermKey]\nEDiv=\(identityKey)\n[\(key)]"),
      ("AddressType=static", "AddressType=\(key)"),
    ] as [(String, String)])
  func damagedKey(text: String, other: String) throws {
    let (run, agent) = try run(try folder(Self.changed(text, to: other)))
    #expect(run.status == 1 && run.output.isEmpty, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("is missing or damaged; its bond cannot be taken over"))
    withExtendedLifetime(agent) {}
  }

  @Test("A folder that is missing and an account without the right have sentences of their own")
  func refusals() throws {
    let agent = try StandInAgent([], ["List": PickerSamples.list()])
    let missing = try Tool.run([
      "registry", "import-bonds", "--socket", agent.path, "--bluetooth-folder", "/nowhere",
    ])
    #expect(missing.status == 66 && missing.errorOutput.contains("name bluetoothd's folder"))
    let denied = Message.error("org.varlink.service.PermissionDenied")
    let (run, _) = try run(try folder(), answer: denied)
    #expect(run.status == 77, "\(run.errorOutput)")
  }
}
