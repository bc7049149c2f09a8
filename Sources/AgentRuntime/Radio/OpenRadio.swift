// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest

/// The open radio and the schedule of its reads.
struct OpenRadio {
  private static let dropCheckMilliseconds: Int64 = 100

  let source: any RadioSource
  var schedule: DrainSchedule
  /// The token of the source's descriptor; nil for a source without one.
  let token: UInt64?
  /// Whether the descriptor is in the epoll set.
  private var isWatched: Bool
  /// Whether the descriptor became readable in this turn.
  var isReadable = false
  /// How many packets the kernel had dropped at the last check, and the time of the next check.
  private var drops: UInt32 = 0
  private var nextDropCheck: Instant

  init(_ source: any RadioSource, _ loop: inout LoopContext) throws(SystemError) {
    self.source = source
    schedule = DrainSchedule(
      intervalMilliseconds: loop.agent.drainIntervalMilliseconds, hasDescriptor: source.hasDescriptor)
    nextDropCheck = loop.now
    isWatched = source.hasDescriptor
    guard source.hasDescriptor else {
      token = nil
      return
    }
    let token = loop.insert(.radio)
    do throws(SystemError) { try source.watch(in: loop.epoll, token: token) } catch {
      loop.registry.remove(token)
      throw error
    }
    self.token = token
  }

  mutating func findDeadline(isUrgent: Bool) -> Instant?? {
    schedule.deadline(due: source.nextTime, isUrgent: isUrgent)
  }

  /// Reads the radio if it is due. Returns why the radio has ended, if it has.
  mutating func drain(_ reports: inout ReportSockets, _ loop: inout LoopContext) -> RadioSourceError? {
    defer { isReadable = false }
    let outlook = loop.agent.lookAhead()
    guard
      schedule.admitRead(
        at: loop.now, isReady: isReadable, due: source.nextTime, isUrgent: outlook.isRadioUrgent)
    else { return nil }
    loop.counters.drains &+= 1
    let before = loop.counters.packets
    source.stampsEveryPacket = !reports.isEmpty
    let outcome = outlook.hasPacketReaders ? drainForReaders(&reports, &loop) : drain(&loop)
    if let queueing = source.queueing { loop.agent.counters.reception.queueing.add(queueing) }
    schedule.drained(outcome, packets: Int(loop.counters.packets &- before), at: loop.now)
    switch outcome {
    case .nothing, .some, .more:
      if nextDropCheck <= loop.now { countDrops(&loop) }
      return nil
    case .ended(let end): return end
    }
  }

  /// It changes nothing, but a radio that is only borrowed would be copied.
  private mutating func drain(_ loop: inout LoopContext) -> RadioDrain {
    var count: UInt64 = 0
    defer { loop.counters.packets &+= count }
    let now = loop.now
    return loop.agent.receivePackets { receive in
      source.drain(at: now) { packet, time in
        count &+= 1
        receive(packet, time)
      }
    }
  }

  /// Delivers packets one by one, and sends what fills up.
  private func drainForReaders(_ reports: inout ReportSockets, _ loop: inout LoopContext) -> RadioDrain {
    source.drain(at: loop.now) { packet, time in
      loop.counters.packets &+= 1
      loop.agent.receive(packet: packet, at: time, waitedMicroseconds: source.waited)
      if loop.agent.hasFullReportBatch { reports.send(&loop) }
    }
  }

  /// Counts the packets that the kernel dropped since the last check.
  mutating func countDrops(_ loop: inout LoopContext) {
    guard let adapter = source.adapter else { return }
    nextDropCheck = loop.now.advanced(milliseconds: Self.dropCheckMilliseconds)
    guard let count = adapter.events.dropCount, count != drops else { return }
    loop.agent.counters.reception.countDrops(UInt64(count &- drops), at: loop.now)
    drops = count
  }

  /// Keeps the descriptor in the epoll set only while the schedule wants it: a descriptor that was hung up is always
  /// ready.
  mutating func updateReadiness(isUrgent: Bool, _ loop: inout LoopContext) throws(SystemError) {
    let isWanted = schedule.isWatched(isUrgent: isUrgent)
    guard isWanted != isWatched, let token else { return }
    loop.counters.watchCalls &+= 1
    if isWanted {
      try source.watch(in: loop.epoll, token: token)
    } else {
      try source.unwatch(in: loop.epoll)
    }
    isWatched = isWanted
  }
}
