// SPDX-License-Identifier: GPL-3.0-or-later

import VirtualRadio
import Agent
import HCI
import Interfaces

// Streams of reports: their sockets, and readers that are quick, slow, or read nothing.

extension Simulation {
  /// What a socket holds before its reader has it.
  private static let messagesBefore = 20

  func openReports(_ id: ReportStreamID) {
    note("opens a stream of reports")
    if dice.chance(perMille: 50) { return agent.reportsFailed(id, "no descriptor is free", at: instant) }
    reportBooks[id] = ReportBook(messagesMax: Self.messagesBefore, reads: true, at: now)
    agent.reportsOpened(id, at: instant)
  }

  /// Nothing that a reader had yet to read is lost with the agent's end of its socket.
  func closeReports(_ id: ReportStreamID) throws(Breach) {
    note("closes a stream of reports")
    guard var book = reportBooks.removeValue(forKey: id) else { return }
    _ = try book.read(at: now)
  }

  func sendReports() {
    agent.sendReports { id, message in
      let bytes = (0..<message.byteCount).map { message.uint8(at: $0) }
      digest.add(bytes)
      return reportBooks[id]?.receive(bytes) ?? .closed
    }
  }

  /// Every reader that reads does so several times a second, or sooner at the end.
  func readReports() throws(Breach) {
    guard nextReportRead <= now else { return }
    nextReportRead = now + Int64(dice.between(1000, 300_000))
    for id in reportBooks.keys.sorted(by: { "\($0)" < "\($1)" }) {
      guard try reportBooks[id]?.read(at: now) == true else { continue }
      agent.reportsWritable(id)
    }
    for book in reportBooks.values where !book.reads && book.isFull {
      guard book.idle(at: now) < 90_000_000 else {
        throw Breach(.bound, "a reader that takes nothing keeps its stream")
      }
    }
  }
}
