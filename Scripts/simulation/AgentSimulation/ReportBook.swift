// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import TestSupport
import VarlinkClient

/// The reader of a stream of reports: how much its socket holds, when it reads, and whether it has what was on the air.
struct ReportBook {
  /// How a reader treats its socket.
  struct Pace: Equatable {
    /// Messages that the socket holds; 0 for one that was closed.
    var messagesMax: Int
    /// Whether it ever reads.
    var reads = true

    /// Reads in time whatever comes.
    static let prompt = Pace(messagesMax: .max)
  }

  private(set) var pace: Pace
  /// Whether the stream wants every report.
  private var hasEverything = false
  private var unread: [[UInt8]] = []
  /// Since when it takes nothing; nil while it has room.
  private(set) var fullSince: Int64?
  /// Where the stream begins in what was on the air.
  private let start: Int
  /// What it read: records, and the last counts of passed and missed ones.
  private var recordCount: UInt64 = 0
  private var passed: UInt64 = 0
  private var missed: UInt64 = 0
  private var hasRadio = false
  private var lastTime: UInt64 = 0

  init(_ pace: Pace, start: Int) { (self.pace, self.start) = (pace, start) }

  /// The socket is a client's now.
  mutating func setPace(_ pace: Pace, hasEverything: Bool) {
    (self.pace, self.hasEverything) = (pace, hasEverything)
  }

  /// The reader dies: nothing that its socket held is read.
  mutating func close() {
    pace = Pace(messagesMax: 0, reads: false)
    unread = []
  }

  var isClosed: Bool { pace.messagesMax == 0 }

  mutating func receive(_ message: [UInt8], at now: Int64) -> ReportDelivery {
    guard !isClosed else { return .closed }
    guard unread.count < pace.messagesMax else {
      fullSince = fullSince ?? now
      return .full
    }
    unread.append(message)
    return .sent
  }

  /// Reads what is there, and compares it with what was on the air. Returns whether its socket has room again.
  mutating func read(_ air: borrowing AirLog) throws(Breach) -> Bool {
    guard pace.reads else { return false }
    for message in unread { try check(message, air) }
    unread = []
    defer { fullSince = nil }
    return fullSince != nil
  }

  private mutating func check(_ bytes: [UInt8], _ air: borrowing AirLog) throws(Breach) {
    let message: ReportMessage
    do throws(ReportMessageError) { message = try ReportMessage(bytes) } catch {
      throw Breach(.wrongReply, "a message of reports cannot be read: \(error)")
    }
    guard message.missed >= missed, message.passed == recordCount + message.missed else {
      throw Breach(
        .lostCount, "\(message.passed) reports passed, \(recordCount) came and \(message.missed) were missed")
    }
    guard pace != .prompt || message.missed == 0 else {
      throw Breach(.lostCount, "a reader that is never full missed \(message.missed) reports")
    }
    (passed, missed) = (message.passed, message.missed)
    switch message.content {
    case .radio: hasRadio = true
    case .reports(let reports):
      guard hasRadio, !reports.isEmpty else {
        throw Breach(.wrongReply, "reports come before the radio's state, or none come")
      }
      try compare(reports, air)
      recordCount += UInt64(reports.count)
      for report in reports {
        guard report.record.time >= lastTime else { throw Breach(.wrongReply, "reports are out of order") }
        lastTime = report.record.time
      }
    }
  }

  /// The records of a message are the reports on the air after those that passed before; one that found no room in the batch
  /// may be left out.
  private func compare(_ reports: [ReportMessage.Report], _ air: borrowing AirLog) throws(Breach) {
    guard hasEverything else { return }
    var place = start + Int(passed)
    for report in reports {
      let sought = AirLog.Entry(report)
      while place < air.entries.count, air.entries[place] != sought { place += 1 }
      guard place < air.entries.count, place <= start + Int(passed) + reports.count else {
        throw Breach(.lostCount, "a record is not what was on the air after \(passed) reports: \(sought)")
      }
      place += 1
    }
  }

  /// Checks the counts of the last message, which came after every report.
  func checkEnd(_ air: borrowing AirLog) throws(Breach) {
    guard hasEverything, pace.reads, fullSince == nil, hasRadio else { return }
    guard Int(passed) == air.entries.count - start else {
      throw Breach(
        .lostCount, "\(passed) reports passed of \(air.entries.count - start) that were on the air")
    }
  }
}

/// Every report that was on the air, joined and in order, counted apart from the agent.
struct AirLog: ~Copyable {
  /// What a record says of a report, but for its time.
  struct Entry: Equatable {
    private var address: UInt64
    private var rssi: Int8
    private var isResponse: Bool
    private var data: [UInt8]

    init(_ report: Report) {
      (address, rssi, data) = (report.header.address.bits, report.header.rssi, report.data)
      isResponse = report.header.properties.contains(.scanResponse)
    }

    init(_ report: ReportMessage.Report) {
      (address, rssi, data) = (report.record.address.bits, report.record.rssi, report.data)
      isResponse = report.record.flags.contains(.scanResponse)
    }
  }

  private(set) var entries: [Entry] = []
  private var chains = Chains()

  mutating func receivePacket(_ packet: [UInt8], at time: Int64) {
    for part in Report.all(in: packet) {
      guard let report = chains.join(part, at: time) else { continue }
      entries.append(Entry(report))
    }
  }
}
