// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// What Dispatch opens for the first timer or source of a process and keeps from then on: three file descriptors. If it
/// finds none free, it stops the process or loses the timer.
enum EventLoop {
  /// The three, a socket with its watch, and some for what other threads open meanwhile.
  private static let spareCount = 8
  private static let isOpen = Locked(false)

  /// Opens it, unless that has happened. Returns false when too few descriptors are free; then no timer and no source
  /// may be made.
  static func open() -> Bool {
    if isOpen.withLock({ $0 }) { return true }
    guard hasSpareDescriptors(), firesTimer() else { return false }
    isOpen.withLock { $0 = true }
    return true
  }

  private static func hasSpareDescriptors() -> Bool {
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    for _ in 0..<spareCount {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { return false }
      descriptors.append(descriptor)
    }
    return true
  }

  /// Whether a timer fires. One that is due at once needs no descriptor.
  private static func firesTimer() -> Bool {
    let hasFired = DispatchSemaphore(value: 0)
    // Not a global queue: with the first use of one, Dispatch wakes the process every second from then on.
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "io.accessoryd.event-loop"))
    timer.setEventHandler { hasFired.signal() }
    timer.schedule(deadline: .now() + .milliseconds(5))
    timer.activate()
    defer { timer.cancel() }
    return hasFired.wait(timeout: .now() + .seconds(1)) == .success
  }
}
