// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxSystem
import Testing

@testable import AgentRuntime

@Suite("Workers")
struct WorkerTests {
  /// Whether the worker's reply came in time.
  private func waits<Request, Reply>(for worker: Worker<Request, Reply>) throws -> Bool {
    var epoll = try Epoll()
    try epoll.add(worker.replies.descriptor, .readable, token: 0)
    return try epoll.wait(milliseconds: 10_000) == 1
  }

  @Test("A worker answers one request after the other, and wakes who asked")
  func requests() throws {
    let worker = try Worker<Int, Int> { $0 * 2 }
    defer { worker.stop() }
    for number in 0..<100 {
      #expect(!worker.isBusy)
      #expect(worker.takeReply() == nil)
      worker.send(number)
      #expect(try waits(for: worker))
      #expect(worker.takeReply() == 2 * number)
    }
  }

  @Test("No signal reaches a worker")
  func signals() throws {
    let worker = try Worker<Int, Bool> { number in
      var mask = sigset_t()
      // Holds: `mask` is a local variable.
      _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
      return unsafe sigismember(&mask, Int32(number)) == 1
    }
    defer { worker.stop() }
    for signal in [SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGCHLD] {
      worker.send(Int(signal))
      #expect(try waits(for: worker))
      #expect(worker.takeReply() == true)
    }
  }
}
