// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import Foundation
import Glibc
import SessionSupport
import Testing
import Varlink

/// An agent at a real socket that sends anything. The app never traps, and each call completes once.
@Suite(.timeLimit(.minutes(30))) struct HostileSocketTests {
  /// What an app sees: the raw values of its events, and how its picker ended.
  private final class App: Sendable {
    let session: ASAccessorySession
    private let queue = DispatchQueue(label: "app")
    private let seen = Locked<(events: [Int], completions: [Int])>(([], []))
    private let hasEnded = DispatchSemaphore(value: 0)
    private let hasCompleted = DispatchSemaphore(value: 0)

    init(_ agent: SocketAgent) {
      session = ASAccessorySession(gateway: ASGateway(socketPath: agent.path))
      session.activate(on: queue) { [weak self] event in
        // An app reads everything.
        _ = "\(event) \(event.accessory?.descriptor as Any) \(event.accessory?.bluetoothIdentifier as Any)"
        if let found = event.accessory as? ASDiscoveredAccessory {
          _ = "\(found.bluetoothAdvertisementData as Any) \(found.bluetoothRSSI as Any)"
        }
        self?.seen.withLock { $0.events.append(event.eventType.rawValue) }
        if event.eventType == .invalidated { self?.hasEnded.signal() }
      }
      session.showPicker { error in
        let code = (error as? ASError)?.code.rawValue ?? 0
        self.seen.withLock { $0.completions.append(code) }
        self.hasCompleted.signal()
      }
    }

    /// Ends the session. Returns what was seen.
    func end() -> (events: [Int], completions: [Int]) {
      session.invalidate()
      hasEnded.wait()
      hasCompleted.wait()
      return queue.sync { seen.withLock { $0 } }
    }
  }

  private static let first =
    SocketAgent.reply(
      "{\"session\":\"\(SocketAgent.token)\",\"epoch\":\"\(SocketAgent.epoch)\",\"sequence\":0}",
      continues: true)
  private static let activated = SocketAgent.event("activated", 10, 0)

  /// Sends these messages as the reply to Activate; then the connection stays open.
  private static func agent(_ messages: [String], _ passed: [Int32] = []) -> (SocketAgent, DispatchSemaphore)
  {
    let isSent = DispatchSemaphore(value: 0)
    let agent = SocketAgent([
      "Activate": { connection in
        for message in messages { connection.send(message) }
        for descriptor in passed { connection.send("{}", descriptor: descriptor) }
        isSent.signal()
      }
    ])
    return (agent, isSent)
  }

  private static let strange = [
    "{}", "[]", "7", "\"text\"", "{", "{\"parameters\":[]}",
    "{\"parameters\":{\"event\":null},\"continues\":true}",
    "{\"error\":\"x\"}", "{\"error\":7,\"continues\":true}", "{\"continues\":true}",
    SocketAgent.event("pickerFinished", nil, 3),
    SocketAgent.event("pickerFinished", nil, 3, "\"picker\":\"none\""),
    SocketAgent.event("accessoryAdded", 30, 4), SocketAgent.event("unheardOf", 99_999, 5),
    SocketAgent.event(
      "accessoryAdded", 30, 6, "\"accessory\":\(SocketAgent.accessory("z", name: "\\u0000", state: -99))"),
    SocketAgent.event("accessoryRemoved", 31, 7, "\"accessory\":\(SocketAgent.accessory("9"))"),
    SocketAgent.event(
      "accessoryChanged", 32, 8, "\"accessory\":\(SocketAgent.accessory("8", state: 9_007_199))"),
    SocketAgent.event(
      "accessoryDiscovered", 33, 9,
      "\"picker\":\"p1\",\"discovered\":{\"discovered\":0,\"itemIndex\":-1,\"bluetoothRSSI\":999999,"
        + "\"bluetoothAdvertisementData\":\"ff16ff0100020a0509\"}"),
    SocketAgent.event("pickerSetupFailed", 70, 10, "\"error\":{\"code\":0,\"reason\":\"\",\"cure\":\"\"}"),
    SocketAgent.event("activated", 10, 11), "{\"parameters\":{\"missed\":-1},\"continues\":true}",
    "{\"parameters\":{\"radio\":\"broken\"},\"continues\":true}", String(repeating: "x", count: 70_000),
    String(repeating: "[", count: 10_000),
    "{\"parameters\":{\"session\":\"\(String(repeating: "é", count: 9_000))\"}}",
  ]

  @Test(arguments: 0..<strange.count)
  func `a strange message harms nothing`(_ index: Int) {
    for before in [[], [Self.first], [Self.first, Self.activated]] {
      let (agent, isSent) = Self.agent(before + [Self.strange[index], Self.activated])
      let app = App(agent)
      isSent.wait()
      let (events, completions) = app.end()
      #expect(completions.count == 1, "\(completions)")
      #expect(events.last == 11 && events.count { $0 == 11 } == 1 && events.count { $0 == 10 } <= 1)
      agent.stop()
    }
  }

  @Test func `bytes that come one at a time are one message`() {
    let agent = SocketAgent([
      "Activate": { connection in
        for byte in Array((Self.first + "\0" + Self.activated + "\0").utf8) { connection.send(bytes: [byte]) }
      }, "ShowPicker": { $0.send(SocketAgent.failure("PickerRestricted", 550)) },
    ])
    defer { agent.stop() }
    let app = App(agent)
    while !agent.calledMethods.contains("ShowPicker") { sched_yield() }
    let (events, completions) = app.end()
    #expect(events == [10, 11] && completions.count == 1)
  }

  @Test func `descriptors that were not asked for are closed`() throws {
    let before = try Self.openDescriptors()
    for _ in 0..<20 {
      let null = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      let (agent, isSent) = Self.agent([Self.first, Self.activated], [null, null, null])
      let app = App(agent)
      isSent.wait()
      #expect(app.end().completions.count == 1)
      agent.stop()
      close(null)
    }
    // Other tests run at the same time, with few descriptors each.
    #expect(try Self.openDescriptors() < before + 40)
  }

  private static func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == "/dev/null"
      }
  }
}
