// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing

@testable import AgentRuntime

private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

@Suite("When things are due")
struct ScheduleTests {
  @Test("A busy radio is left alone for the interval, then read unasked; an idle one is watched")
  func descriptor() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    #expect(schedule.isWatched(isUrgent: false))
    #expect(schedule.isDue(at: at(0), isReady: true, due: nil, isUrgent: false))
    schedule.drained(.some, at: at(0))
    #expect(!schedule.isWatched(isUrgent: false))
    #expect(!schedule.isDue(at: at(19), isReady: true, due: nil, isUrgent: false))
    #expect(schedule.deadline(due: nil, isUrgent: false) == at(20))
    #expect(schedule.isDue(at: at(20), isReady: false, due: nil, isUrgent: false))
    #expect(schedule.isDue(at: at(20), isReady: true, due: nil, isUrgent: false))
    schedule.drained(.nothing, at: at(20))
    #expect(schedule.isWatched(isUrgent: false))
    #expect(schedule.deadline(due: nil, isUrgent: false) == nil)
  }

  @Test("Something urgent has the radio watched at once")
  func urgent() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    schedule.drained(.some, at: at(0))
    #expect(schedule.isWatched(isUrgent: true))
    #expect(schedule.isDue(at: at(1), isReady: true, due: nil, isUrgent: true))
  }

  @Test("What one turn did not take is taken in the next")
  func flood() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    schedule.drained(.more, at: at(5))
    #expect(schedule.isDue(at: at(5), isReady: false, due: nil, isUrgent: false))
  }

  @Test("A radio without a descriptor is read when it is due, and no more often than the interval says")
  func timed() {
    var schedule = DrainSchedule(intervalMilliseconds: 20, hasDescriptor: false)
    #expect(schedule.deadline(due: at(3), isUrgent: false) == at(3))
    schedule.drained(.nothing, at: at(3))
    #expect(schedule.deadline(due: at(4), isUrgent: false) == at(23))
    #expect(!schedule.isDue(at: at(22), isReady: false, due: at(4), isUrgent: false))
    #expect(schedule.isDue(at: at(22), isReady: false, due: at(4), isUrgent: true))
    #expect(schedule.deadline(due: at(90), isUrgent: false) == at(90))
    #expect(schedule.deadline(due: nil, isUrgent: false) == nil)
  }

  @Test("Each failure doubles the pause up to half a minute, and a minute of success ends that")
  func backOff() {
    var backOff = BackOff()
    let pauses = (0..<8).map { _ in backOff.failed(at: at(0)).microseconds / 1000 }
    #expect(pauses == [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    backOff.succeeded(at: at(0))
    #expect(backOff.failed(at: at(59_999)) == at(89_999))
    backOff.succeeded(at: at(0))
    #expect(backOff.failed(at: at(60_000)) == at(60_500))
  }

  @Test("The watchdog is fed twice per timeout, if it is for this process")
  func watchdog() {
    func next(_ time: String?, _ process: String?) -> Instant? {
      WatchdogSchedule(microseconds: time, process: process, ownProcess: 7).next(after: at(1))
    }
    #expect(next("2000000", nil) == at(1001))
    #expect(next("2000000", "7") == at(1001))
    #expect(next("2000000", "8") == nil)
    #expect(next(nil, "7") == nil)
    #expect(next("soon", nil) == nil)
    #expect(next("0", nil) == nil)
  }
}
