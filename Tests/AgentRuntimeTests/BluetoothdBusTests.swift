// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import BusSupport
import LinuxSystem
import RegistryStore
import Testing

@Suite("The connection to bluetoothd")
struct BluetoothdBusTests {
  /// Runs `body` with the loop, and with a bus on which there is no bluetoothd.
  private func withBus(_ body: @escaping @Sendable (inout AgentLoop) throws -> Void) throws {
    let folder = try Folder()
    let bus = try TestBus()
    let keeper = RegistryKeeper(path: folder("registry.sqlite"))
    let disk = Disk(registryPath: folder("registry.sqlite")) { request in
      guard case .registry(let request) = request else { preconditionFailure("nothing else is asked") }
      return .registry(keeper.execute(request))
    }
    try LoopHarness.run(in: folder, disk: disk) { loop in
      loop.bus = BluetoothdBus(path: bus.path)
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
