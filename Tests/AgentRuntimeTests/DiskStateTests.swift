// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import Foundation
import LinuxSystem
import Registry
import Synchronization
import Testing

@Suite("What the disk worker is asked")
struct DiskStateTests {
  /// A disk that replies only when the test releases it, and records its requests.
  private final class HeldDisk: Sendable {
    let asked = Mutex<[String]>([])
    private let gate = DispatchSemaphore(value: 0)

    var disk: Disk {
      Disk(registryPath: "registry") { [self] request in
        gate.wait()
        switch request {
        case .readConfiguration:
          asked.withLock { $0.append("configuration") }
          return .configuration(.failure(.anotherAgent(socket: "s")))
        case .registry(let request):
          asked.withLock { $0.append("\(request)") }
          return .registry(request == .close ? .closed : .done)
        }
      }
    }

    func release() { gate.signal() }
  }

  private func awaitReply(_ port: inout DiskState) throws -> Disk.Reply? {
    let entry = Polling.Entry(port.worker.replies.descriptor.number, .readable)
    _ = try Polling.wait([entry], until: .now().advanced(seconds: 30))
    return port.takeReply()
  }

  @Test("What comes while the worker is busy waits, and the registry goes before the configuration")
  func order() throws {
    let held = HeldDisk()
    var port = try DiskState(held.disk)
    port.readConfiguration()
    port.readConfiguration()
    port.send(.open)
    #expect(port.takeReply() == nil)
    for _ in 0..<3 {
      held.release()
      #expect(try awaitReply(&port) != nil)
    }
    #expect(held.asked.withLock { $0 } == ["configuration", "open", "configuration"])
    #expect(!port.worker.isBusy)
  }

  @Test("At the end the request under way is finished, waiting requests are dropped, and the file is closed")
  func closing() throws {
    let held = HeldDisk()
    var port = try DiskState(held.disk)
    port.send(.commit([]))
    port.send(.reset)
    held.release()
    held.release()
    var replies: [RegistryReply] = []
    #expect(port.close(before: try .now().advanced(seconds: 30)) { replies.append($0) })
    #expect(replies == [.done])
    #expect(held.asked.withLock { $0 } == ["commit([])", "close"])
  }

  @Test("A disk that does not answer is not waited for beyond the deadline")
  func deadline() throws {
    let held = HeldDisk()
    var port = try DiskState(held.disk)
    port.send(.commit([]))
    #expect(!port.close(before: try .now()) { _ in Issue.record("nothing was answered") })
    held.release()
  }
}

@Suite("The folder of what the agent remembers")
struct StateFolderTests {
  @Test("The command line goes before the service manager, and that before the usual place")
  func choice() {
    #expect(StateFolder(named: "a", given: "b").path == "a")
    #expect(StateFolder(named: nil, given: "/b:/c").path == "/b")
    #expect(StateFolder(named: nil, given: "").path == "/var/lib/accessoryd")
    #expect(StateFolder(named: nil, given: nil).registry == "/var/lib/accessoryd/registry.sqlite")
  }
}
