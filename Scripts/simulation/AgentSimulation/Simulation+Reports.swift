// SPDX-License-Identifier: GPL-3.0-or-later

import VirtualRadio
import Agent
import HCI
import Interfaces

// Streams of reports: their sockets, and readers that are quick, slow, or read nothing.

extension Simulation {
  func openReports(_ id: ReportStreamID) {
    note("opens a stream of reports")
    if dice.chance(perMille: 50) { return agent.reportsFailed(id, "no descriptor is free", at: instant) }
    reportBooks[id] = ReportBook(.prompt, start: air.entries.count)
    agent.reportsOpened(id, at: instant)
  }

  /// Nothing that a reader had yet to read is lost with the agent's end of its socket.
  func closeReports(_ id: ReportStreamID) throws(Breach) {
    note("closes a stream of reports")
    guard var book = reportBooks.removeValue(forKey: id) else { return }
    _ = try book.read(air)
  }

  func sendReports() {
    agent.sendReports { id, message in
      let bytes = (0..<message.byteCount).map { message.uint8(at: $0) }
      digest.add(bytes)
      return reportBooks[id]?.receive(tampered(message: bytes), at: now) ?? .closed
    }
  }

  /// The message that a reader gets in place of this one.
  private func tampered(message: [UInt8]) -> [UInt8] {
    // Only messages with records.
    guard message[1] == 0 else { return message }
    switch tampering {
    case .damagesRecords: return message.dropLast() + [message[message.count - 1] ^ 1]
    // It is the radio's state instead.
    case .dropsRecords: return [1, 1, 0, 0] + message[4..<24] + [0, 0]
    default: return message
    }
  }

  /// Every reader that reads does so several times a second, or sooner at the end; now and then one dies.
  func readReports() throws(Breach) {
    guard nextReportRead <= now else { return }
    nextReportRead = now + Int64(dice.between(1000, 300_000))
    for id in reportBooks.keys.sorted(by: { "\($0)" < "\($1)" }) {
      if dice.chance(perMille: 3) {
        note("a reader of reports dies")
        reportBooks[id]?.close()
        if dice.chance(perMille: 500) { agent.reportsClosed(id) }
      }
      guard try reportBooks[id]?.read(air) == true else { continue }
      agent.reportsWritable(id)
    }
  }

  /// A reader that takes nothing for 30 s has lost its stream.
  func checkReportReaders() throws(Breach) {
    for case let since? in reportBooks.values.map(\.fullSince) where now - since > 30_000_000 {
      throw Breach(.bound, "a reader that takes nothing keeps its stream")
    }
  }

  /// The end of the radio is the last message of each stream: after it every report of it is counted.
  func endReports() throws(Breach) {
    agent.radioVanished("it was pulled out", at: instant)
    for _ in 0..<5 {
      nextReportRead = now
      try settle()
      try readReports()
    }
    for book in reportBooks.values { try book.checkEnd(air) }
  }
}
