// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxSystem
import Testing

/// Every wait ends with the event it waits for, or after this.
private let deadlineMilliseconds: Int32 = 10_000

@Suite("Descriptors and the loop's waiting", .serialized)
struct EpollTests {
  @Test("A waker that was woken, once or often, is readable until it is acknowledged")
  func waker() throws {
    var epoll = try Epoll()
    let waker = try Waker()
    try epoll.add(waker.descriptor, .readable, token: 7)
    #expect(try epoll.list(milliseconds: 0).isEmpty)
    waker.wake()
    waker.wake()
    let ready = try epoll.list(milliseconds: deadlineMilliseconds)
    #expect(ready.map(\.token) == [7])
    #expect(ready.first?.readiness.contains(.readable) == true)
    try waker.acknowledge()
    #expect(try epoll.list(milliseconds: 0).isEmpty)
  }

  @Test("An timer rings at its boot time, a past one at once, and one that is off never")
  func timer() throws {
    var epoll = try Epoll()
    let timer = try TimerDescriptor()
    try epoll.add(timer.descriptor, .readable, token: 1)
    let now = try BootTime.now()
    try timer.set(now + 20_000)
    #expect(try epoll.list(milliseconds: deadlineMilliseconds).count == 1)
    #expect(try BootTime.now() >= now + 20_000)
    try timer.acknowledge()
    try timer.set(0)
    #expect(try epoll.list(milliseconds: deadlineMilliseconds).count == 1)
    try timer.acknowledge()
    try timer.set(try BootTime.now() + 3_600_000_000)
    try timer.set(nil)
    #expect(try epoll.list(milliseconds: 0).isEmpty)
  }

  @Test("A signal arrives as an event and interrupts nothing")
  func signal() throws {
    var epoll = try Epoll()
    let signals = try SignalDescriptor()
    try epoll.add(signals.descriptor, .readable, token: 3)
    // To this thread, which blocks it: another thread of the test runner might not.
    _ = pthread_kill(pthread_self(), SIGHUP)
    #expect(try epoll.list(milliseconds: deadlineMilliseconds).map(\.token) == [3])
    #expect(try signals.next() == .hangUp)
    #expect(try signals.next() == nil)
  }

  @Test("A descriptor that was removed is silent")
  func removal() throws {
    var epoll = try Epoll()
    let waker = try Waker()
    try epoll.add(waker.descriptor, .readable, token: 1)
    try epoll.remove(waker.descriptor)
    waker.wake()
    #expect(try epoll.list(milliseconds: 0).isEmpty)
    #expect(throws: SystemError.self) { try epoll.remove(waker.descriptor) }
  }
}

extension Epoll {
  /// What a wait has found ready.
  fileprivate mutating func list(milliseconds: Int32 = -1) throws(SystemError) -> [Ready] {
    (0..<(try wait(milliseconds: milliseconds))).map { ready($0) }
  }
}
