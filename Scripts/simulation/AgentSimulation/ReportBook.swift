// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import VarlinkClient

/// The reader of a stream of reports: how much its socket holds, when it reads, and whether the counts in the messages agree.
struct ReportBook {
  /// Messages that its socket holds; 0 for one that was closed.
  private var messagesMax: Int
  /// Whether it ever reads.
  private(set) var reads: Bool
  private var unread: [[UInt8]] = []
  private(set) var isFull = false
  private var lastRead: Int64
  /// What it read: records, and the last count of missed ones.
  private(set) var recordCount: UInt64 = 0
  private(set) var missed: UInt64 = 0
  private var hasRadio = false
  private var lastTime: UInt64 = 0

  init(messagesMax: Int, reads: Bool, at now: Int64) {
    (self.messagesMax, self.reads, lastRead) = (messagesMax, reads, now)
  }

  /// The socket is a client's now.
  mutating func setPace(messagesMax: Int, reads: Bool) {
    (self.messagesMax, self.reads) = (messagesMax, reads)
  }

  mutating func receive(_ message: [UInt8]) -> ReportDelivery {
    guard unread.count < messagesMax else {
      isFull = true
      return messagesMax == 0 ? .closed : .full
    }
    unread.append(message)
    return .sent
  }

  /// Reads what is there. Returns whether its socket has room again.
  mutating func read(at now: Int64) throws(Breach) -> Bool {
    guard reads else { return false }
    for message in unread { try check(message) }
    unread = []
    lastRead = now
    defer { isFull = false }
    return isFull
  }

  /// How long it took nothing.
  func idle(at now: Int64) -> Int64 { now - lastRead }

  private mutating func check(_ bytes: [UInt8]) throws(Breach) {
    let message: ReportMessage
    do throws(ReportMessageError) { message = try ReportMessage(bytes) } catch {
      throw Breach(.wrongReply, "a message of reports cannot be read: \(error)")
    }
    guard message.missed >= missed, message.passed == recordCount + message.missed else {
      throw Breach(
        .lostCount, "\(message.passed) reports passed, \(recordCount) came and \(message.missed) were missed")
    }
    missed = message.missed
    switch message.content {
    case .radio: hasRadio = true
    case .reports(let reports):
      guard hasRadio, !reports.isEmpty else {
        throw Breach(.wrongReply, "reports come before the radio's state, or none come")
      }
      recordCount += UInt64(reports.count)
      for report in reports {
        guard report.record.time >= lastTime else { throw Breach(.wrongReply, "reports are out of order") }
        lastTime = report.record.time
      }
    }
  }
}
