// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
@testable import AgentRuntime
import Foundation
import HCI
import LinuxSystem
import Setup
import Synchronization
import Testing

/// The real loop on a thread of its own, turned by a test, with a disk of the test's.
enum LoopHarness {
  /// Runs `body` with the loop once it has begun. Signals stay the other threads': the loop's thread has them blocked.
  static func run(
    in folder: Folder, disk: Disk, _ body: @escaping @Sendable (inout AgentLoop) throws -> Void
  ) throws {
    try folder.serveScene()
    let failure = Mutex<(any Error)?>(nil)
    let done = DispatchSemaphore(value: 0)
    try BackgroundThread.start {
      do {
        var loop = try loop(in: folder, disk)
        try loop.start()
        try body(&loop)
      } catch {
        failure.withLock { $0 = error }
      }
      done.signal()
    }
    try #require(done.wait(timeout: .now() + 60) == .success, "the loop does not come to an end")
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private static func loop(in folder: Folder, _ disk: Disk) throws -> AgentLoop {
    let reader = ConfigurationReader(
      manifestPath: folder("manifest.toml"), radio: "h4:" + folder("h4"))
    let read = try reader.read()
    let setup = AgentCore.Setup(
      read.configuration, radioSource: read.radioSource, epoch: Block128(high: 1, low: 2),
      secret: Block128(high: 3, low: 4))
    return try AgentLoop(
      setup, disk, ServiceSocket(folder("socket")), Log(.terminal, .info, time: { "" }) { _ in true },
      in: .machine())
  }
}

extension AgentLoop {
  /// Waits until something is due or ready, as a turn does before anything else.
  borrowing func awaitTurn() throws {
    guard !isDue else { return }
    _ = try Polling.wait(
      [Polling.Entry(context.epoll.number, .readable)], until: .now().advanced(seconds: 30))
  }

  /// Turns until something is so. The scene makes it turn many times a second.
  mutating func turn(until isSo: (borrowing AgentLoop) -> Bool) throws {
    let end = try MonotonicInstant.now().advanced(seconds: 30)
    while !isSo(self) {
      try turn()
      try #require(try .now() < end, "the awaited condition does not occur")
    }
  }
}
