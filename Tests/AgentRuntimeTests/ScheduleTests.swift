// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing

@testable import AgentRuntime

private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

@Suite("When things are due")
struct ScheduleTests {
  @Test("A packet after the pause is read at once, and nothing has to wake the loop in between")
  func quietRadio() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    for time: Int64 in [0, 40, 60, 90] {
      #expect(schedule.isWatched(isUrgent: false))
      #expect(schedule.deadline(due: nil, isUrgent: false) == nil)
      #expect(schedule.admitRead(at: at(time), isReady: true, due: nil, isUrgent: false) == true)
      schedule.drained(.some, at: at(time))
    }
  }

  /// Uses up the reads that a radio has saved, at this time and without a pause.
  private func useSavedReads(of schedule: inout DrainSchedule, at milliseconds: Int64) {
    for _ in 0..<6 {
      #expect(schedule.admitRead(at: at(milliseconds), isReady: true, due: nil, isUrgent: false) == true)
      schedule.drained(.some, at: at(milliseconds))
      #expect(schedule.isWatched(isUrgent: false))
    }
  }

  @Test("Six packets are read as they come; of more, one per interval, and a pause earns the reads again")
  func savedReads() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    useSavedReads(of: &schedule, at: 1000)
    for time: Int64 in [1020, 1040] {
      #expect(schedule.admitRead(at: at(time), isReady: true, due: nil, isUrgent: false) == true)
      schedule.drained(.some, at: at(time))
    }
    #expect(schedule.admitRead(at: at(1059), isReady: true, due: nil, isUrgent: false) == false)
    #expect(schedule.admitRead(at: at(1060), isReady: false, due: nil, isUrgent: false) == true)
    schedule.drained(.nothing, at: at(1060))
    #expect(schedule.admitRead(at: at(1061), isReady: true, due: nil, isUrgent: false) == true)
    schedule.drained(.some, at: at(1061))
    useSavedReads(of: &schedule, at: 1180)
    #expect(schedule.admitRead(at: at(1180), isReady: true, due: nil, isUrgent: false) == false)
  }

  @Test("A packet that finds no read saved waits; a busy radio is read unasked until it is empty")
  func busyRadio() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    useSavedReads(of: &schedule, at: 1000)
    #expect(schedule.admitRead(at: at(1019), isReady: true, due: nil, isUrgent: false) == false)
    for end: Int64 in [1020, 1040] {
      #expect(!schedule.isWatched(isUrgent: false))
      #expect(schedule.deadline(due: nil, isUrgent: false) == at(end))
      #expect(schedule.admitRead(at: at(end - 1), isReady: false, due: nil, isUrgent: false) == false)
      #expect(schedule.admitRead(at: at(end), isReady: false, due: nil, isUrgent: false) == true)
      schedule.drained(.some, at: at(end))
    }
    #expect(schedule.admitRead(at: at(1060), isReady: true, due: nil, isUrgent: false) == true)
    schedule.drained(.nothing, at: at(1060))
    #expect(schedule.isWatched(isUrgent: false))
    #expect(schedule.deadline(due: nil, isUrgent: false) == nil)
    #expect(schedule.admitRead(at: at(1061), isReady: true, due: nil, isUrgent: false) == true)
  }

  @Test("While a request is urgent, a radio is watched and read at once")
  func urgent() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    useSavedReads(of: &schedule, at: 1000)
    #expect(schedule.admitRead(at: at(1001), isReady: true, due: nil, isUrgent: false) == false)
    #expect(schedule.isWatched(isUrgent: true))
    #expect(schedule.admitRead(at: at(1002), isReady: true, due: nil, isUrgent: true) == true)
    schedule.drained(.some, at: at(1002))
    #expect(schedule.isWatched(isUrgent: false))
    #expect(schedule.deadline(due: nil, isUrgent: true) == nil)
  }

  @Test(
    "With more than fifty packets a second, a radio is read once per interval although a request is urgent")
  func urgentAndBusy() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    for time: Int64 in 0..<51 {
      #expect(schedule.admitRead(at: at(1000 + time), isReady: true, due: nil, isUrgent: true) == true)
      schedule.drained(.some, at: at(1000 + time))
    }
    #expect(schedule.admitRead(at: at(1051), isReady: true, due: nil, isUrgent: true) == false)
    #expect(!schedule.isWatched(isUrgent: true))
    #expect(schedule.admitRead(at: at(1070), isReady: false, due: nil, isUrgent: true) == true)
    schedule.drained(.some, packets: 4, at: at(1070))
    // A second with few packets ends it.
    for time: Int64 in [2000, 3000] {
      #expect(schedule.admitRead(at: at(time), isReady: true, due: nil, isUrgent: true) == true)
      schedule.drained(.some, packets: 10, at: at(time))
    }
    #expect(schedule.admitRead(at: at(3001), isReady: true, due: nil, isUrgent: true) == true)
  }

  @Test("What one turn did not take is taken in the next")
  func flood() {
    var schedule = DrainSchedule(intervalMilliseconds: 20)
    schedule.drained(.more, at: at(5))
    #expect(schedule.deadline(due: nil, isUrgent: false) == at(5))
    #expect(schedule.admitRead(at: at(5), isReady: false, due: nil, isUrgent: false) == true)
  }

  @Test("A radio without a descriptor is read when it is due, and no more often than the interval says")
  func timed() {
    var schedule = DrainSchedule(intervalMilliseconds: 20, hasDescriptor: false)
    #expect(schedule.deadline(due: at(3), isUrgent: false) == at(3))
    schedule.drained(.nothing, at: at(3))
    #expect(schedule.deadline(due: at(4), isUrgent: false) == at(23))
    #expect(schedule.admitRead(at: at(22), isReady: false, due: at(4), isUrgent: false) == false)
    #expect(schedule.admitRead(at: at(22), isReady: false, due: at(4), isUrgent: true) == true)
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
