// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import VarlinkClient
import Testing

/// The reader of a stream of reports, at a socket that holds a number of messages.
final class ReportReaderModel {
  let id: ReportStreamID
  var messagesMax = Int.max
  /// Whether its own end is closed.
  var isGone = false
  /// Whether the agent's end is.
  var isClosed = false
  private(set) var messages: [ReportMessage] = []
  private var unreadCount = 0

  init(_ id: ReportStreamID) { self.id = id }

  func receive(_ message: RawSpan) -> ReportDelivery {
    if isGone { return .closed }
    guard unreadCount < messagesMax else { return .full }
    unreadCount += 1
    do throws(ReportMessageError) {
      messages.append(try ReportMessage((0..<message.byteCount).map { message.uint8(at: $0) }))
    } catch {
      Issue.record("a message cannot be read: \(error)")
    }
    return .sent
  }

  /// It reads what the socket holds.
  func read() { unreadCount = 0 }

  var reports: [ReportMessage.Report] {
    messages.flatMap { message -> [ReportMessage.Report] in
      if case .reports(let reports) = message.content { reports } else { [] }
    }
  }

  var radioStates: [ReportRadioState] {
    messages.compactMap { if case .radio(let state, _) = $0.content { state } else { nil } }
  }

  /// Each message says how many came before it: sent + missed = passed.
  var addsUp: Bool {
    var sent: UInt64 = 0
    return messages.allSatisfy { message in
      defer { if case .reports(let reports) = message.content { sent += UInt64(reports.count) } }
      return message.passed == sent + message.missed
    }
  }

  var addresses: Set<UInt64> { Set(reports.map(\.record.address.bits)) }
}
