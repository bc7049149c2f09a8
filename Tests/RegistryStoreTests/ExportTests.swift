// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Registry
import RegistryFormat
import RegistryStore
import RegistrySupport
import Testing

@Suite("Exports of the registry")
struct ExportTests {
  @Test("An export has a line for each row in a stable order, and no keys")
  func golden() throws {
    var registry = try Fixtures.registryOfBond()
    try registry.apply(.addBondRemoval(Rows.address(3)))
    try registry.apply(.setRhythms([Rows.address(2): 60_000]))
    let lines = Array(RegistryExport(registry))
    #expect(
      lines == [
        #"{"registry":6,"rows":8}"#,
        #"{"row":"account","number":1,"app":"cameras","group":44}"#,
        #"{"row":"account","number":2,"app":"lights","user":1000}"#,
        #"{"row":"device","number":1,"network":"43616d2d31ff","displayName":"Camera 1","identityDurable":1,"#
          + #""bond":"none"}"#,
        #"{"row":"device","number":2,"address":"c0de00000002","addressType":1,"displayName":"Lumo 2","#
          + #""identityDurable":1,"bond":"bonded","rhythmMilliseconds":60000}"#,
        #"{"row":"accessory","number":1,"identifier":"1d00000000000002fffffffffffffffd","app":"cameras","#
          + #""device":1,"state":10,"ssid":"43616d2d31ff","descriptorRange":0,"#
          + #""descriptorSSIDPrefix":"43616d2d"}"#,
        #"{"row":"accessory","number":2,"identifier":"1d00000000000004fffffffffffffffb","app":"lights","#
          + #""device":2,"bluetoothIdentifier":"1d00000000000005fffffffffffffffa","state":20,"#
          + #""addedAt":1700000002,"descriptorCompanyIdentifier":3822,"#
          + #""descriptorManufacturerDataBlob":"a55a0010","descriptorManufacturerDataMask":"ffff00f0","#
          + #""descriptorServiceUUID":"0000fe0f00001000800000805f9b34fb","descriptorServiceDataBlob":"0102","#
          + #""descriptorServiceDataMask":"ffff","descriptorNameSubstring":"4c756d6f","#
          + #""descriptorNameCompareOptions":9,"descriptorRange":10,"descriptorSupportedOptions":2}"#,
        #"{"row":"former","number":1,"app":"lights","bluetoothIdentifier":"1d00000000000007fffffffffffffff8","#
          + #""address":"c0de00000003","addressType":1}"#,
        #"{"row":"bondRemoval","number":1,"address":"c0de00000003","addressType":1}"#,
      ])
  }

  @Test("An import equals its export, except for keys, which are lost", arguments: 0..<20)
  func roundTrip(seed: UInt64) throws {
    var registry = AccessoryRegistry()
    var changes = RandomChanges(seed: seed)
    for _ in 0..<200 { _ = try? registry.apply(changes.next(for: registry)) }
    let imported = try RegistryImport.read(Array(RegistryExport(registry)))
    for device in registry.devices {
      guard device.bond.record?.owner == .gateway,
        let accessory = registry.accessories.first(where: { $0.device == device.number })
      else { continue }
      try registry.apply(
        .setBond(accessory.identifier, .lost(BondRecord(owner: .gateway, isAuthenticated: false))))
    }
    #expect(imported == registry)
  }

  @Test("An import equals its export with keys", arguments: 0..<20)
  func roundTripWithKeys(seed: UInt64) throws {
    var registry = AccessoryRegistry()
    var changes = RandomChanges(seed: seed)
    for _ in 0..<200 { _ = try? registry.apply(changes.next(for: registry)) }
    #expect(try RegistryImport.read(Array(RegistryExport(registry, includesKeys: true))) == registry)
    #expect(!RegistryExport(registry).contains { $0.contains("bondKeys") })
  }

  @Test("Wi-Fi Aware has columns of its own, in exports and in the file")
  func wifiAware() throws {
    let registry = try Rows.wifiAwareRegistry
    let lines = Array(RegistryExport(registry))
    let line = try #require(lines.first { $0.contains(#""row":"accessory""#) })
    for member in [
      #""wifiAwarePairedDeviceID":"fedcba9876543210""#, #""descriptorWiFiAwareServiceName":"5f63616d""#,
      #""descriptorWiFiAwareServiceRole":20"#, #""descriptorWiFiAwareModelName":"4d""#,
      #""descriptorWiFiAwareModelNameCompareOptions":1"#, #""descriptorWiFiAwareVendorName":"56""#,
      #""alternateWiFiAwareServiceName":"61""#, #""alternateWiFiAwareServiceRole":10"#,
    ] {
      #expect(line.contains(member), "\(member)")
    }
    #expect(try RegistryImport.read(lines) == registry)
    let disk = CrashDisk()
    let keeper = RegistryKeeper(path: CrashDisk.path, files: disk, owners: nil)
    #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
    #expect(keeper.execute(.commit(registry.rows.map(RegistryWrite.put))) == .done)
    #expect(keeper.execute(.open) == .opened(registry))
  }

  @Test("Wi-Fi Aware columns without a service name, or of an unknown role, are refused")
  func badWiFiAware() throws {
    var lines = Array(RegistryExport(try Rows.wifiAwareRegistry))
    let index = try #require(lines.firstIndex { $0.contains(#""row":"accessory""#) })
    let line = lines[index]
    for (old, new, column) in [
      (#""descriptorWiFiAwareServiceName":"5f63616d","#, "", "descriptorWiFiAwareServiceName"),
      ("ServiceRole\":20", "ServiceRole\":15", "descriptorWiFiAwareServiceRole"),
      (#""descriptorWiFiAwareModelName":"4d","#, "", "descriptorWiFiAwareModelNameCompareOptions"),
      ("fedcba9876543210", "fedc", "wifiAwarePairedDeviceID"),
    ] {
      lines[index] = line.replacing(old, with: new)
      #expect(throws: RegistryImportError.badValue(line: index + 1, column: column)) {
        try RegistryImport.read(lines)
      }
    }
  }

  @Test("Invalid lines are refused with their number")
  func problems() throws {
    var registry = AccessoryRegistry()
    try registry.apply(Rows.addition(1))
    let lines = Array(RegistryExport(registry))
    func problem(_ lines: [String]) -> RegistryImportError? {
      do throws(RegistryImportError) {
        _ = try RegistryImport.read(lines)
        return nil
      } catch {
        return error
      }
    }
    func replaced(_ line: Int, _ text: String) -> [String] {
      var changed = lines
      changed[line - 1] = text
      return changed
    }
    #expect(problem(lines) == nil)
    #expect(problem([]) == .noHead)
    #expect(problem(replaced(1, "{}")) == .noHead)
    #expect(problem(replaced(1, #"{"registry":7,"rows":3}"#)) == .version(7, known: 6))
    // An export of a version without former identifiers.
    #expect(problem(replaced(1, #"{"registry":1,"rows":3}"#)) == nil)
    #expect(problem(lines.dropLast()) == .rowCount(2, announced: 3))
    #expect(problem(replaced(2, "{")) == .notJSON(line: 2, JSONError(.endOfText, at: 1)))
    #expect(problem(replaced(2, "7")) == .noRow(line: 2))
    #expect(problem(replaced(2, #"{"row":"sqlite_schema"}"#)) == .noRow(line: 2))
    #expect(problem(replaced(2, #"{"row":"account"}"#)) == .badValue(line: 2, column: "number"))
    #expect(
      problem(
        replaced(
          3,
          #"{"row":"device","number":1,"address":"c0de00000001","addressType":1,"displayName":"L","#
            + #""identityDurable":1,"bond":"bonded","bondKeys":"00"}"#))
        == .badValue(line: 3, column: "bondKeys"))
    for (rhythm, problem) in [
      (-1, RegistryImportError.badValue(line: 3, column: "rhythmMilliseconds")),
      (999, .violation(.invalid(.device, number: 1, .rhythmMilliseconds))),
      (4_294_967_295, .violation(.invalid(.device, number: 1, .rhythmMilliseconds))),
    ] {
      let line = String(lines[2].dropLast()) + #","rhythmMilliseconds":\#(rhythm)}"#
      #expect(throws: problem) { try RegistryImport.read(replaced(3, line)) }
    }
    #expect(problem(replaced(3, lines[1])) == .violation(.repeatedNumber(.account, number: 1)))
  }

  @Test("Errors name the line and what is wrong with it")
  func sentences() {
    let problems: [(RegistryImportError, String)] = [
      (.notJSON(line: 2, JSONError(.endOfText, at: 7)), "line 2 is not JSON from byte 7 on"),
      (.noHead, "the first line does not belong to an exported registry"),
      (.version(3, known: 2), "it was exported by another accessoryd (version 3; this one reads up to 2)"),
      (
        .rowCount(3, announced: 4),
        "it has 3 rows, and its first line announces 4: lines are missing, or were added"
      ),
      (.noRow(line: 5), "line 5 is not a row of a registry"),
      (.badValue(line: 6, column: "a\u{1B}"), #"line 6 has an invalid "a\u{1B}""#),
      (
        .violation(.unusedDevice(number: 7)),
        "its rows contradict each other: device 7 has no accessory"
      ),
    ]
    for (problem, sentence) in problems { #expect(problem.reason == sentence) }
  }
}
