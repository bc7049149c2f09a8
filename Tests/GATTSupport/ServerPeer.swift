// SPDX-License-Identifier: GPL-3.0-or-later

public import Dispatch
import Foundation
import Glibc

/// A ``DiceServer`` at one end of a pair of sockets, on a thread of its own.
public final class ServerPeer: @unchecked Sendable {
  private struct State {
    public var server: DiceServer
    /// Whether responses are lost.
    var isSilent = false
    var received: [[UInt8]] = []
  }

  private let lock = NSLock()
  private var state: State
  private let descriptor: Int32
  private let thread: DispatchQueue
  /// Taken for a moment after each packet: a test that takes it keeps the server from reading.
  public let reading = DispatchSemaphore(value: 1)
  /// Signalled when the client has closed its socket.
  public let hasEnded = DispatchSemaphore(value: 0)

  private init(_ server: DiceServer, _ descriptor: Int32) {
    state = State(server: server)
    self.descriptor = descriptor
    thread = DispatchQueue(label: "server")
  }

  deinit { close(descriptor) }

  private func locked<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }

  /// A server, and the descriptor of its client.
  public static func pair(_ server: DiceServer) -> (ServerPeer, Int32) {
    var descriptors: [Int32] = [-1, -1]
    unsafe descriptors.withUnsafeMutableBufferPointer {
      precondition(
        unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, $0.baseAddress) == 0,
        "no pair of sockets")
    }
    let peer = ServerPeer(server, descriptors[0])
    peer.thread.async { peer.run() }
    return (peer, descriptors[1])
  }

  private func run() {
    var buffer = [UInt8](repeating: 0, count: 2_048)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard count > 0 else { break }
      reading.wait()
      reading.signal()
      let request = Array(buffer.prefix(count))
      let response = locked { state -> [UInt8]? in
        state.received.append(request)
        return state.isSilent ? nil : state.server.model.response(to: request)
      }
      if let response { send(response) }
    }
    hasEnded.signal()
  }

  /// Sends a packet as it is.
  public func send(_ packet: [UInt8]) {
    _ = unsafe packet.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Notifies or indicates a value, if the client subscribed. Returns whether it did.
  @discardableResult
  public func report(_ value: [UInt8], of handle: (DiceServer) -> UInt16) -> Bool {
    let packet = locked { $0.server.model.report(handle($0.server), value) }
    packet.map { send($0) }
    return packet != nil
  }

  public var server: DiceServer { locked { $0.server } }
  public var received: [[UInt8]] { locked { $0.received } }

  public func setSilent() { locked { $0.isSilent = true } }
  public func setEncrypted() { locked { $0.server.model.isEncrypted = true } }

  /// Ends the link.
  public func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
