// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import Foundation
import GATT
import GATTSupport
import Glibc
import JSON
import SessionSupport
import Varlink

/// A gateway with dice in reach: an agent at a socket whose operator chooses the dice at once, and a ``DiceServer`` at
/// the other end of each connection.
final class GatewayModel: Sendable {
  private struct State {
    var streams: [SocketAgent.Connection] = []
    /// Display names by the digit of the identifier.
    var accessories: [Character: String] = [:]
    var nextSequence = 0
    var nextDigit: UInt8 = 1
    var peers: [ServerPeer] = []
    /// The reply to Connect instead of a connection.
    var refusal: String?
  }

  private let state = Locked(State())
  private let agent = Locked<SocketAgent?>(nil)
  let path: String

  init(accessories: [Character: String] = [:]) {
    path = "\(FileManager.default.temporaryDirectory.path)/gateway-\(UUID().uuidString.prefix(8))"
    state.withLock { $0.accessories = accessories }
    let agent = SocketAgent(path: path) { [weak self] call, connection in self?.reply(to: call, connection) }
    self.agent.withLock { $0 = agent }
  }

  deinit { agent.withLock { $0 }?.stop() }

  /// The servers, one for each connection.
  var peers: [ServerPeer] { state.withLock { $0.peers } }

  /// Refuses connections from now on.
  func refuseConnections(_ name: String, _ code: Int) {
    state.withLock { $0.refusal = SocketAgent.failure(name, code, field: nil) }
  }

  /// Notifies the roll to the app that is connected, once it has subscribed.
  func roll(_ number: UInt8) -> Bool { peers.last?.report([number], of: \.rollHandle) ?? false }

  private func reply(to call: Call, _ connection: SocketAgent.Connection) {
    switch call.method {
    case "Activate":
      let accessories = state.withLock { state in
        state.streams.append(connection)
        return state.accessories.map { SocketAgent.accessory($0, name: $1) }
      }
      SocketAgent.activate(connection, accessories)
    case "ShowPicker": showPicker(connection)
    case "RemoveAccessory": remove(call, connection)
    case "RenameAccessory": rename(call, connection)
    case "Connect": connect(connection)
    case "WatchAdvertisements": advertise(connection)
    default: connection.send(SocketAgent.reply())
    }
  }

  /// Sends an event to every session, or to the one that shows pickers: the first. Returns its number.
  @discardableResult
  private func send(_ name: String, _ type: Int?, _ members: String, toAll: Bool) -> Int {
    let (streams, sequence) = state.withLock { state in
      defer { state.nextSequence += 1 }
      return (toAll ? state.streams : Array(state.streams.prefix(1)), state.nextSequence)
    }
    for stream in streams { stream.send(SocketAgent.event(name, type, sequence, members)) }
    return sequence
  }

  private func showPicker(_ connection: SocketAgent.Connection) {
    let digit = state.withLock { state in
      let digit = Character(UnicodeScalar(UInt8(ascii: "0") + state.nextDigit))
      state.nextDigit += 1
      state.accessories[digit] = "Dice"
      return digit
    }
    connection.send(SocketAgent.reply("{\"picker\":\"p\(digit)\"}"))
    let picker = "\"picker\":\"p\(digit)\""
    send("pickerDidPresent", 40, picker, toAll: false)
    send("accessoryAdded", 30, "\"accessory\":\(accessory(digit, "Dice"))", toAll: true)
    send("pickerDidDismiss", 50, picker, toAll: false)
    send("pickerFinished", nil, picker, toAll: false)
  }

  private func accessory(_ digit: Character, _ name: String) -> String {
    SocketAgent.accessory(digit, name: name)
      .replacing(
        "\"FE0F\",\"bluetoothCompanyIdentifier\":76", with: "\"12345678-1234-1234-1234-123456789ABC\"")
  }

  /// The digit and the name of the accessory that a call names.
  private func named(_ call: Call) -> (Character, String)? {
    guard case .string(let identifier)? = call.parameters["accessory"], let digit = identifier.first else {
      return nil
    }
    return state.withLock { state in state.accessories[digit].map { (digit, $0) } }
  }

  private func remove(_ call: Call, _ connection: SocketAgent.Connection) {
    guard let (digit, name) = named(call) else {
      return connection.send(SocketAgent.failure("InvalidRequest", 450))
    }
    let peers = state.withLock { state in
      state.accessories[digit] = nil
      return state.peers
    }
    let sequence = send("accessoryRemoved", 31, "\"accessory\":\(accessory(digit, name))", toAll: true)
    connection.send(SocketAgent.reply("{\"epoch\":\"\(SocketAgent.epoch)\",\"sequence\":\(sequence)}"))
    for peer in peers { peer.disconnect() }
  }

  /// The operator calls every accessory "Cubes".
  private func rename(_ call: Call, _ connection: SocketAgent.Connection) {
    guard let (digit, _) = named(call) else {
      return connection.send(SocketAgent.failure("InvalidRequest", 450))
    }
    state.withLock { $0.accessories[digit] = "Cubes" }
    let sequence = send("accessoryChanged", 32, "\"accessory\":\(accessory(digit, "Cubes"))", toAll: true)
    connection.send(SocketAgent.reply("{\"epoch\":\"\(SocketAgent.epoch)\",\"sequence\":\(sequence)}"))
  }

  private func connect(_ connection: SocketAgent.Connection) {
    if let refusal = state.withLock({ $0.refusal }) { return connection.send(refusal) }
    let (peer, descriptor) = ServerPeer.pair(DiceServer())
    state.withLock { $0.peers.append(peer) }
    connection.send(SocketAgent.reply(), descriptor: descriptor)
    close(descriptor)
  }

  /// Each accessory sends its service.
  private func advertise(_ connection: SocketAgent.Connection) {
    let service = DiceServer.service.littleEndianBytes.map { String(format: "%02x", $0) }.joined()
    let digits = state.withLock { $0.accessories.keys.sorted() }
    SocketAgent.advertise(connection, digits, data: "1107\(service)")
  }
}
