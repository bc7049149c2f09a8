// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import CoreBluetooth
@testable import CoreBluetoothForms
import Foundation
import GATTSupport
import Testing

/// Code in the forms of iOS apps, in Swift 5 mode, against the server model.
@Suite(.timeLimit(.minutes(30))) struct AppFormTests {
  @Test func anAppInTheFormOfIOSReceivesARoll() async throws {
    let source = SourceModel()
    let queue = DispatchQueue(label: "app")
    let app = DiceController()
    app.identifier = CentralHarness.identifier
    app.manager = CBCentralManager(delegate: app, queue: queue, source: source)
    while source.isWaitingForStart { await Task.yield() }
    source.send(.radio(.poweredOn))
    source.send(.accessories([CentralHarness.identifier: "Dice"]))
    while queue.sync(execute: { app.rollResult }) != 1 { await Task.yield() }
    let peer = try #require(source.peers.first)
    while !peer.report([5], of: \.rollHandle) { await Task.yield() }
    while queue.sync(execute: { app.rollResult }) != 5 { await Task.yield() }
    queue.sync {
      app.setSides(20)
      app.disconnect()
    }
    while queue.sync(execute: { app.isConnected }) { await Task.yield() }
    let added: (ASAccessory) -> Void = app.handleAccessoryAdded
    _ = added
  }
}
