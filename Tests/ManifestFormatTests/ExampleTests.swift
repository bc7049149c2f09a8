// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Manifest
import ManifestFormat
import Testing

@Suite("The example manifest")
struct ExampleTests {
  private static func read(_ text: [UInt8]) -> ManifestReading {
    ManifestReader.read(
      text: text, fileName: "accessoryd.toml", accounts: AccountDirectory { _ in .known(id: 1) })
  }

  /// The text with every switched-off setting switched on.
  private static func switchedOn(_ text: [UInt8]) -> [UInt8] {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let on = lines.map { line in
      line.starts(with: [UInt8(ascii: "#")]) && !line.dropFirst().starts(with: [UInt8(ascii: " ")])
        ? line.dropFirst() : line
    }
    return Array(on.joined(separator: [UInt8(ascii: "\n")]))
  }

  @Test("Nothing is wrong with it")
  func clean() throws {
    let reading = Self.read(try Fixtures.example())
    #expect(reading.lines == [])
    #expect(reading.manifest?.apps.map(\.name) == ["lights", "climate", "door", "tags", "cameras", "survey"])
  }

  @Test("The gateway's written values are the defaults")
  func gatewayDefaults() throws {
    let manifest = try #require(Self.read(try Fixtures.example()).manifest)
    #expect(manifest.gateway == Gateway())
  }

  @Test("The gate's and the item's written values are the defaults")
  func itemDefaults() throws {
    let manifest = try #require(Self.read(try Fixtures.example()).manifest)
    let bulb = try #require(manifest.apps.first?.items.first)
    var gate = GateSettings()
    gate.isImmediate = true
    #expect(bulb.gate == gate)
    #expect(bulb.maxAccessories == DisplayItem(id: "", name: "").maxAccessories)
  }

  @Test("Every switched-off setting is accepted when it is switched on")
  func switchedOnParses() throws {
    let reading = Self.read(Self.switchedOn(try Fixtures.example()))
    #expect(reading.lines == [])
    let manifest = try #require(reading.manifest)
    #expect(manifest.gateway.wifi == "wlan1")
    #expect(
      manifest.gateway.programs.count == SignalProgramKind.allCases.count
        && manifest.gateway.identityKeys != nil)
    #expect(manifest.apps.first?.items.first?.gate.txPower == 0)
  }

  @Test("Every key that the reader knows is in it")
  func complete() throws {
    let text = String(decoding: try Fixtures.example(), as: UTF8.self)
    let words = Set(text.split { " \n.=#[]".contains($0) })
    func missing<Key: ManifestKey>(_ keys: Key.Type) -> [String] {
      Key.allCases.map(\.rawValue).filter { !words.contains($0[...]) }
    }
    #expect(missing(RootKey.self) + missing(GatewayKey.self) + missing(CapacityKey.self) == [])
    #expect(missing(LimitsKey.self) + missing(AppKey.self) + missing(ItemKey.self) == [])
    #expect(missing(DescriptorKey.self) + missing(GateKey.self) + missing(BridgeKey.self) == [])
  }

  @Test("Every number of the model has its key")
  func keysCoverTheModel() {
    func count(_ value: Any) -> Int { Mirror(reflecting: value).children.count }
    #expect(count(Capacities()) == CapacityKey.allCases.count)
    #expect(count(Limits()) == LimitsKey.allCases.count)
    // The range, `tx-power` and `changed-interval-ms` stand elsewhere in the item; patience and settling are the board's.
    #expect(count(GateSettings()) == GateKey.allCases.count + 5)
    // Capacities and limits are tables of their own; the programs are one dictionary.
    #expect(
      count(Gateway()) == GatewayKey.allCases.count + 2 - (SignalProgramKind.allCases.count - 1))
  }
}
