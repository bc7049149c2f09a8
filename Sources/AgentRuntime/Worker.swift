// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Synchronization

/// A worker, and the requests that wait for it in their order.
///
/// Capacity: the queue itself has no limit; its users add a few requests for each thing that they want done.
struct WorkQueue<Request: Sendable, Reply: Sendable> {
  let worker: Worker<Request, Reply>
  var waiting: [Request] = []

  init(_ work: @escaping @Sendable (Request) -> Reply) throws(SystemError) { worker = try Worker(work) }

  mutating func add(_ request: Request) {
    waiting.append(request)
    startNext()
  }

  /// Starts the next request unless one is under way.
  mutating func startNext() {
    guard !worker.isBusy, !waiting.isEmpty else { return }
    worker.send(waiting.removeFirst())
  }
}

/// A thread that performs, one after the other, requests that would block the loop.
///
/// Capacity: one request and one reply. The loop sends the next request only after the reply, which wakes the loop
/// through ``replies``. No signal reaches the thread.
final class Worker<Request: Sendable, Reply: Sendable>: Sendable {
  private struct Slots {
    var request: Request?
    var reply: Reply?
    var isBusy = false
    var isStopping = false
  }

  private let slots = Mutex(Slots())
  private let requests: Waker
  /// Becomes readable when a reply has arrived.
  let replies: Waker

  init(_ work: @escaping @Sendable (Request) -> Reply) throws(SystemError) {
    requests = try Waker()
    replies = try Waker()
    try BackgroundThread.start { [self] in run(work) }
  }

  /// Whether a request was sent whose reply the loop has not taken.
  var isBusy: Bool { slots.withLock { $0.isBusy } }

  /// Sends a request; the worker must be idle.
  func send(_ request: Request) {
    slots.withLock { slots in
      precondition(!slots.isBusy, "a worker has one request at a time")
      slots.isBusy = true
      slots.request = request
    }
    requests.wake()
  }

  /// Returns the reply, once ``replies`` is readable.
  func takeReply() -> Reply? {
    try? replies.acknowledge()
    return slots.withLock { slots in
      guard let reply = slots.reply.take() else { return nil }
      slots.isBusy = false
      return reply
    }
  }

  /// Ends the thread after its current request.
  func stop() {
    slots.withLock { $0.isStopping = true }
    requests.wake()
  }

  private func run(_ work: (Request) -> Reply) {
    while true {
      let hasWaited = (try? requests.wait()) != nil
      let (request, isStopping) = slots.withLock { ($0.request.take(), $0.isStopping) }
      guard !isStopping else { return }
      guard let request else {
        precondition(hasWaited, "the worker can wait for its requests")
        continue
      }
      let reply = work(request)
      slots.withLock { $0.reply = reply }
      replies.wake()
    }
  }
}
