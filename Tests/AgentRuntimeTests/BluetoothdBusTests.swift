// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import LinuxSystem
import RegistryStore
import Testing

@Suite("The socket of the connection to bluetoothd")
struct BluetoothdBusTests {
  /// Runs `body` with the loop, and with the sockets of a bus.
  private func withLoop(_ sockets: [String], _ body: @escaping @Sendable (inout AgentLoop) throws -> Void)
    throws
  {
    let folder = try Folder()
    let keeper = RegistryKeeper(path: folder("registry.sqlite"))
    let disk = Disk(registryPath: folder("registry.sqlite")) { request in
      guard case .registry(let request) = request else { preconditionFailure("nothing else is asked") }
      return .registry(keeper.execute(request))
    }
    try LoopHarness.run(in: folder, disk: disk) { loop in
      loop.bus = BluetoothdBus(sockets: sockets)
      try body(&loop)
    }
  }

  private struct NoConnection: Error {}

  /// Accepts the agent's connection.
  private static func accept(_ listener: borrowing UnixListener) throws -> Descriptor {
    guard case .connection(let connection, _) = try listener.accept() else { throw NoConnection() }
    return connection
  }

  @Test("Calls are written at the end of a turn, and what a socket does not take in the next ones")
  func writes() throws {
    let folder = try Folder()
    try withLoop([folder("none"), folder("bus")]) { loop in
      let listener = try UnixListener(path: folder("bus"), mode: 0o600)
      loop.bus.open(&loop.context)
      let bus = try Self.accept(listener)
      loop.bus.updateReadiness(&loop.context)
      var buffer = [UInt8](repeating: 0, count: 1 << 12)
      let count = try #require(try bus.read(into: &buffer))
      #expect(buffer[..<count].elementsEqual(Array("\0AUTH EXTERNAL\r\n".utf8)))
      #expect(try bus.write(Array("DATA\r\nOK 00ff\r\n".utf8)[...]) == 15)
      loop.bus.noteReady()
      loop.bus.receive(&loop.context)
      loop.bus.updateReadiness(&loop.context)
      let more = try #require(try bus.read(into: &buffer))
      #expect(buffer[..<more].starts(with: Array("DATA\r\nBEGIN\r\n".utf8)))
    }
  }

  @Test("A bus that is not there, and one that goes, is closed, and can be opened again")
  func ends() throws {
    let folder = try Folder()
    try withLoop([folder("bus")]) { loop in
      let count = loop.context.registry.count
      loop.bus.open(&loop.context)
      #expect(loop.context.registry.count == count)
      let listener = try UnixListener(path: folder("bus"), mode: 0o600)
      for _ in 0..<2 {
        loop.bus.open(&loop.context)
        #expect(loop.context.registry.count == count + 1)
        _ = try Self.accept(listener)
        loop.bus.noteReady()
        loop.bus.receive(&loop.context)
        #expect(loop.context.registry.count == count)
      }
      loop.bus.updateReadiness(&loop.context)
    }
  }
}
