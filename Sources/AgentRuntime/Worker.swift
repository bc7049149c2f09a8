// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Synchronization

/// A thread that does, one after the other, what could keep the loop waiting.
///
/// Capacity: one request and one reply. Who asks waits for the reply before asking again, which the loop sees to; the
/// reply wakes the loop by ``replies``. No signal reaches the thread.
final class Worker<Request: Sendable, Reply: Sendable>: Sendable {
  private struct Slots {
    var request: Request?
    var reply: Reply?
    var isBusy = false
    var isStopping = false
  }

  private let slots = Mutex(Slots())
  private let requests: Waker
  /// Readable when a reply is there.
  let replies: Waker

  init(_ work: @escaping @Sendable (Request) -> Reply) throws(SystemError) {
    requests = try Waker()
    replies = try Waker()
    try BackgroundThread.start { [self] in run(work) }
  }

  /// Whether a request was made whose reply was not taken.
  var isBusy: Bool { slots.withLock { $0.isBusy } }

  /// Nothing else may be under way.
  func ask(_ request: Request) {
    slots.withLock { slots in
      precondition(!slots.isBusy, "a worker has one thing to do at a time")
      slots.isBusy = true
      slots.request = request
    }
    requests.wake()
  }

  /// The reply, once ``replies`` is readable.
  func takeReply() -> Reply? {
    try? replies.acknowledge()
    return slots.withLock { slots in
      guard let reply = slots.reply.take() else { return nil }
      slots.isBusy = false
      return reply
    }
  }

  /// Ends the thread once it is done with what it does.
  func stop() {
    slots.withLock { $0.isStopping = true }
    requests.wake()
  }

  private func run(_ work: (Request) -> Reply) {
    while true {
      // A wait that fails would fail for ever: nothing can be asked of this thread any more.
      guard (try? requests.wait()) != nil else { return }
      let (request, isStopping) = slots.withLock { ($0.request.take(), $0.isStopping) }
      guard !isStopping else { return }
      guard let request else { continue }
      let reply = work(request)
      slots.withLock { $0.reply = reply }
      replies.wake()
    }
  }
}
