// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

@Suite("Processes of other programs")
struct RunningProcessTests {
  private func isReadable(_ descriptor: borrowing Descriptor, withinSeconds seconds: Int) throws -> Bool {
    let entry = Polling.Entry(descriptor.number, .readable)
    return try Polling.wait([entry], until: .now().advanced(seconds: seconds))[0].contains(.readable)
  }

  @Test("A process of root is found by its name until it ends", .enabled(if: ThisProcess.user == 0))
  func found() throws {
    // The kernel keeps 15 bytes of a name.
    let name = "p-" + UUID().uuidString.prefix(8)
    let path = NSTemporaryDirectory() + name
    try FileManager.default.copyItem(atPath: "/usr/bin/sleep", toPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["1000"]
    try process.run()
    guard let descriptor = RunningProcess.open(named: name, service: "none.service") else {
      kill(process.processIdentifier, SIGKILL)
      Issue.record("the process is not found")
      return
    }
    let hasEnded = try isReadable(descriptor, withinSeconds: 0)
    #expect(!hasEnded)
    // It may have inherited a mask that holds back every other signal.
    kill(process.processIdentifier, SIGKILL)
    let ends = try isReadable(descriptor, withinSeconds: 30)
    #expect(ends)
    process.waitUntilExit()
    #expect(!isRunning(name))
  }

  @Test("Without such a process, none is found")
  func missing() {
    #expect(!isRunning("no such process"))
  }

  private func isRunning(_ name: String) -> Bool {
    guard let descriptor = RunningProcess.open(named: name, service: "none.service") else { return false }
    return descriptor.number >= 0
  }
}
