// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import Foundation
import LinuxSystem
import RegistryStore
import Testing

@Suite("The connection to bluetoothd")
struct BluetoothdBusTests {
  /// Runs `body` with the loop, and with a bus on which there is no bluetoothd.
  private func withBus(_ body: @escaping @Sendable (inout AgentLoop) throws -> Void) throws {
    let folder = try Folder()
    let daemon = Process()
    daemon.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
    let output = Pipe()
    daemon.arguments = [
      "--session", "--nofork", "--nopidfile", "--address=unix:path=" + folder("bus"), "--print-address",
    ]
    daemon.standardOutput = output
    try daemon.run()
    defer {
      kill(daemon.processIdentifier, SIGKILL)
      daemon.waitUntilExit()
    }
    // It listens once it has printed its address.
    #expect(output.fileHandleForReading.readData(ofLength: 1).count == 1)
    let path = folder("bus")
    let keeper = RegistryKeeper(path: folder("registry.sqlite"))
    let disk = Disk(registryPath: folder("registry.sqlite")) { request in
      guard case .registry(let request) = request else { preconditionFailure("nothing else is asked") }
      return .registry(keeper.execute(request))
    }
    try LoopHarness.run(in: folder, disk: disk) { loop in
      loop.bus = BluetoothdBus(path: path)
      loop.bus.open(&loop.context)
      try body(&loop)
    }
  }

  @Test("What is received while calls are written is handed over in a turn that is due at once")
  func receivedAtTheEnd() throws {
    try withBus { loop in
      let end = try MonotonicInstant.now().advanced(seconds: 30)
      while !loop.bus.hasMessage {
        try #require(try .now() < end, "the bus does not say whether bluetoothd runs")
        loop.bus.updateReadiness(&loop.context)
        _ = try Polling.wait(
          [Polling.Entry(loop.context.epoll.number, .readable)],
          until: .now().advanced(nanoseconds: 1_000_000))
      }
      #expect(loop.bus.deadline == loop.context.now)
      loop.bus.receive(&loop.context)
      loop.bus.updateReadiness(&loop.context)
      #expect(!loop.bus.hasMessage && loop.bus.deadline != loop.context.now)
    }
  }
}
