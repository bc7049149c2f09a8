// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import JSON
import LinuxSystem
import Synchronization
import Varlink

/// A stand-in for the agent: a real socket with a script of replies for each connection.
///
/// The script expects the connections in order. The socket is removed after the last.
final class ScriptedAgent: Sendable {
  enum Step: Sendable {
    /// Sends bytes as they are.
    case send([UInt8])
    /// Reads another call on the same connection.
    case readCall
    /// Waits until the client leaves.
    case waitForEnd
    /// Removes the socket and creates it again, so that no client can connect for a moment, as during a restart.
    case restart
  }

  let path: String
  private let folder: TemporaryFolder
  private let received = Mutex<[JSONObject]>([])
  private let finished = DispatchSemaphore(value: 0)

  /// Each connection's steps, after its first call was read; then it is closed. A connection without steps is closed at
  /// once, its call unread.
  init(_ connections: [[Step]]) throws {
    // A client may leave before it has read everything.
    Signals.ignoreBrokenPipe()
    folder = try TemporaryFolder()
    path = folder.path + "/io.accessoryd"
    let listener = try UnixListener(path: path, mode: 0o666)
    let owned = Mutex<UnixListener?>(listener)
    let thread = Thread { [self] in
      defer { finished.signal() }
      guard let listener = owned.withLock({ $0.take() }) else { return }
      try? serve(connections, listener)
    }
    thread.start()
  }

  /// The calls that came, after the script has ended.
  var calls: [JSONObject] {
    _ = finished.wait(timeout: .now() + 30)
    finished.signal()
    return received.withLock { $0 }
  }

  private func serve(_ connections: [[Step]], _ first: consuming UnixListener) throws {
    var listener: UnixListener = first
    defer { try? FileManager.default.removeItem(atPath: path) }
    for steps in connections {
      let connection = try accept(listener)
      guard !steps.isEmpty else { continue }
      try readCall(connection)
      for step in steps {
        switch step {
        case .send(let bytes): try send(bytes, connection)
        case .readCall: try readCall(connection)
        case .waitForEnd: while try !read(connection).isEmpty {}
        case .restart:
          try FileManager.default.removeItem(atPath: path)
          listener = try UnixListener(path: path, mode: 0o666)
        }
      }
    }
  }

  private func accept(_ listener: borrowing UnixListener) throws -> Descriptor {
    while true {
      try wait(listener.descriptor, .readable)
      if case .connection(let connection, _) = try listener.accept() { return connection }
    }
  }

  private func readCall(_ connection: borrowing Descriptor) throws {
    var bytes: [UInt8] = []
    while bytes.last != 0 {
      let more = try read(connection)
      guard !more.isEmpty else { return }
      bytes += more
    }
    let message = Array(bytes.dropLast())
    guard case .object(let call) = try JSONReader.read(message.span) else { return }
    received.withLock { $0.append(call) }
  }

  private func read(_ connection: borrowing Descriptor) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    try wait(connection, .readable)
    let count = try connection.read(into: &buffer) ?? 0
    return Array(buffer[..<count])
  }

  private func send(_ bytes: [UInt8], _ connection: borrowing Descriptor) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      try wait(connection, .writable)
      rest = rest.dropFirst(try connection.write(rest) ?? 0)
    }
  }

  private func wait(_ descriptor: borrowing Descriptor, _ wanted: Readiness) throws {
    let deadline = try MonotonicInstant.now().advanced(seconds: 20)
    let ready = try Polling.wait([Polling.Entry(descriptor.number, wanted)], until: deadline)
    if ready[0].isEmpty { throw CancellationError() }
  }
}
