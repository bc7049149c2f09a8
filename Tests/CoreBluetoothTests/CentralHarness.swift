// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import CoreBluetooth
import Foundation
import GATTSupport
import Testing

/// An app with one accessory: a manager, its recorder, and its gateway.
final class CentralHarness: @unchecked Sendable {
  static let identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  static let service = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
  static let roll = CBUUID(string: "12345679-1234-1234-1234-123456789ABC")

  let source: SourceModel
  let recorder = EventRecorder()
  var manager: CBCentralManager?
  var peripheral: CBPeripheral?

  /// A manager that is powered on.
  init(prepare: @escaping @Sendable (inout DiceServer) -> Void = { _ in }) async throws {
    source = SourceModel(prepare: prepare)
    manager = CBCentralManager(delegate: recorder, queue: recorder.queue, source: source)
    // The first event may come before the manager has started its source.
    while source.isWaitingForStart { await Task.yield() }
    source.send(.radio(.poweredOn))
    source.send(.accessories([Self.identifier: "Dice"]))
    await expect("state poweredOn")
    peripheral = try #require(manager?.retrievePeripherals(withIdentifiers: [Self.identifier]).first)
    peripheral?.delegate = recorder
  }

  /// An app that is connected to its accessory, and knows its services and characteristics.
  static func connected() async throws -> CentralHarness {
    let app = try await CentralHarness()
    try await app.connectAndDiscover()
    return app
  }

  /// Waits for the next lines, which must be these.
  func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async {
    for line in lines {
      let next = await recorder.next()
      #expect(next == line, sourceLocation: sourceLocation)
    }
  }

  /// The server of the newest connection.
  var peer: ServerPeer {
    get throws { try #require(source.peers.last) }
  }

  /// Connects, and discovers the dice's services and characteristics.
  func connectAndDiscover() async throws {
    let peripheral = try #require(peripheral)
    manager?.connect(peripheral)
    await expect("connected connected")
    peripheral.discoverServices(nil)
    await expect("services [\"1801\", \"180F\", \"12345678-1234-1234-1234-123456789ABC\"]")
    peripheral.discoverCharacteristics(nil, for: try service)
    await expect(
      "characteristics [\"12345679-1234-1234-1234-123456789ABC\", \"FF01\", \"FF02\", \"FF03\", \"FF04\"]")
  }

  var service: CBService {
    get throws { try #require(peripheral?.services?.first { $0.uuid == Self.service }) }
  }

  func characteristic(_ uuid: CBUUID) throws -> CBCharacteristic {
    try #require(service.characteristics?.first { $0.uuid == uuid })
  }

  func characteristic(_ uuid: String) throws -> CBCharacteristic { try characteristic(CBUUID(string: uuid)) }
}
