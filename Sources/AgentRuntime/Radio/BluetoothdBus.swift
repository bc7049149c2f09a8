// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import BlueZ
import LinuxSystem
import Pairing

/// The socket of the connection to bluetoothd over the system bus, while the agent wants one.
///
/// What was received is handed to the agent early in a turn. Calls are written at its end. No call blocks.
struct BluetoothdBus {
  /// The most bytes that are read in a turn, so that a flood on the bus does not hold up the loop.
  private static let readBytesMax = 1 << 16

  private struct Connection {
    var socket: WatchedDescriptor
    var client = BluetoothdClient()
    /// How many replies of ``client`` are counted as dropped.
    var droppedCount: UInt64 = 0

    mutating func receive() throws(SystemError) -> [BusEvent] {
      var buffer = [UInt8](repeating: 0, count: readBytesMax)
      guard let count = try socket.shared.descriptor.read(into: &buffer) else { return [] }
      return count == 0 ? client.close() : client.receive(buffer[..<count])
    }

    mutating func flush() throws(SystemError) {
      while !client.unsent.isEmpty, let count = try socket.shared.descriptor.write(client.unsent[...]) {
        client.wasSent(count)
      }
    }
  }

  /// The bus's sockets, of which the first is used that accepts a connection.
  private let sockets: [String]
  private var connection: Connection?
  private var isReadable = false

  init(sockets: [String] = KnownDeviceSource.systemBus) { self.sockets = sockets }

  mutating func noteReady() { isReadable = true }

  /// When the next turn is due for the bus.
  private(set) var deadline: Instant?

  mutating func open(_ loop: inout LoopContext) {
    do throws(SystemError) {
      let socket = SharedDescriptor(try UnixConnection.open(anyOf: sockets))
      connection = Connection(socket: try WatchedDescriptor(socket, as: .bus, &loop))
    } catch { lose(error, &loop) }
  }

  mutating func close(_ loop: inout LoopContext) {
    guard let connection = connection.take() else { return }
    deadline = nil
    loop.registry.remove(connection.socket.token)
    // What the connection needed is not needed after it.
    ResidentMemory.releaseIdlePages()
  }

  mutating func call(_ call: BusCall, _ loop: inout LoopContext) {
    guard let reply = connection?.client.send(call, at: loop.now) else { return }
    loop.agent.receive(reply, at: loop.now)
  }

  /// Hands the agent what was received, and what was not received in time.
  mutating func receive(_ loop: inout LoopContext) {
    guard connection != nil else { return isReadable = false }
    do throws(SystemError) {
      if isReadable { deliver(try connection?.receive() ?? [], &loop) }
    } catch { lose(error, &loop) }
    isReadable = false
    deliver(connection?.client.advance(to: loop.now) ?? [], &loop)
  }

  /// Writes calls, and watches the socket for what is to be done.
  mutating func updateReadiness(_ loop: inout LoopContext) {
    guard connection != nil else { return }
    do throws(SystemError) {
      try connection?.flush()
      guard let current = connection else { return }
      deadline = current.client.deadline
      loop.counters.busMessagesDropped &+= current.client.droppedCount - current.droppedCount
      connection?.droppedCount = current.client.droppedCount
      let readiness: Readiness = current.client.unsent.isEmpty ? .readable : [.readable, .writable]
      try connection?.socket.watch(for: readiness, &loop)
    } catch { lose(error, &loop) }
  }

  private mutating func lose(_ error: SystemError, _ loop: inout LoopContext) {
    deliver([.closed(error.isPermission ? .notPermitted : .bluetoothdChanged)], &loop)
  }

  private mutating func deliver(_ events: [BusEvent], _ loop: inout LoopContext) {
    for event in events {
      if case .closed = event { close(&loop) }
      loop.agent.receive(event, at: loop.now)
    }
  }
}
