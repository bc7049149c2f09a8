// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Manifest
import Registry
import Setup
import VirtualRadio

/// A gateway with the app "lights", whose item is a bulb.
enum SimulatedGateway {
  /// A bulb that is always in reach.
  static func bulb(_ number: UInt64) -> SceneDevice {
    SceneDevice(
      .staticRandom(number),
      payloads: PayloadScript(
        AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1, UInt8(truncatingIfNeeded: number)])),
      scanResponse: AdvertisingPayload().name("Lumo"), intervalMilliseconds: 500,
      signal: SignalModel(.steady(-60)))
  }

  /// The bulbs that BlueZ knows.
  static let knownDevices = KnownDevices((1...4).map { address(ofBulb: $0) })

  private static func address(ofBulb number: UInt64) -> DeviceAddress {
    DeviceAddress(bits: 0b11 << 46 | number, type: .random)
  }

  /// How an app names a bulb that BlueZ knows: 20 zeros, and the address.
  static func addressForm(_ number: UInt64) -> String {
    String(repeating: "0", count: 20) + String(address(ofBulb: number).bits, radix: 16)
  }

  /// The agent as it starts for the given time.
  static func agent(run: UInt64) -> AgentCore {
    var manifest = GatewayManifest()
    manifest.gateway.radio = .h4("simulated")
    manifest.gateway.scan = .active
    var app = App(name: "lights", account: .user("lights"))
    app.supports = [.bluetooth, .wifi]
    app.companyIdentifiers = [0x0EEE]
    var item = DisplayItem(id: "bulb", name: "Lumo bulb")
    item.descriptor.companyIdentifier = 0x0EEE
    app.items = [item]
    manifest.apps = [app]
    var access = AccessList(operatorUsers: [0], operatorGroups: [50], overflowUser: 65_534)
    access.appsOfUser[SimulatedApp.user] = ["lights"]
    var board = BoardProfile(name: "simulated")
    board.low = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
    let configuration = AgentCore.Configuration(manifest, board: board, access: access)
    let setup = AgentCore.Setup(
      configuration, radioSource: "h4:simulated", epoch: Block128(high: run, low: 2),
      secret: Block128(high: run, low: 4), version: "1.0.0")
    return AgentCore(setup, at: Instant(microseconds: 0))
  }
}

/// The registry on a disk that never fails.
struct SavedRegistry {
  private var registry = AccessoryRegistry()

  /// Does what the disk worker does.
  mutating func reply(to request: RegistryRequest) -> RegistryReply {
    switch request {
    case .open: return .opened(registry)
    case .replace(let replacement): registry = replacement
    case .reset:
      registry = AccessoryRegistry()
      return .reset(kept: "kept")
    case .close: return .closed
    case .commit(let writes):
      var rows = registry.rows
      for write in writes {
        switch write {
        case .put(let row):
          rows.removeAll { $0.table == row.table && $0.number == row.number }
          rows.append(row)
        case .drop(let table, let number): rows.removeAll { $0.table == table && $0.number == number }
        }
      }
      registry = (try? AccessoryRegistry(rows.sorted { $0.number < $1.number })) ?? registry
    }
    return .done
  }
}
