// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText
import VarlinkClient

/// `watch --reports`: the radio's reports as they come, from the agent's socket for them.
struct LiveReports: ~Copyable {
  private let json: Bool
  private let countMax: Int?
  private let interruption: Interruption
  private let deadline: MonotonicInstant?
  private var printer = Printer()
  private var connection: GatewayConnection
  private var clock: AgentClock?
  /// The agent's time when the stream began, in microseconds.
  private let start: Int64
  private var count = 0
  private var missed: UInt64 = 0

  /// Asks for the reports that `forward` and `apps` name, or for all that the caller may have.
  static func open(
    _ path: String, forward: ReportForward?, apps: [String]?, json: Bool, count: Int?, lasting: Instant?
  ) throws(ToolError) -> LiveReports {
    let interruption = try Interruption()
    do throws(AgentCallError) {
      var connection = try GatewayConnection(path: path)
      try connection.startCall(GatewayMethodName.watchReports) { json in
        json.member("forward", forward)
        json.member("apps", apps)
      }
      let reply = try connection.onlyReply { reader throws(JSONMemberError) in
        try WatchReportsReply(reading: reader)
      }
      return try LiveReports(interruption, connection, reply, json: json, count: count, lasting: lasting)
    } catch {
      throw error.toolError(at: path)
    }
  }

  private init(
    _ interruption: Interruption, _ connection: consuming GatewayConnection,
    _ reply: WatchReportsReply, json: Bool, count: Int?, lasting: Instant?
  ) throws(AgentCallError) {
    let now: MonotonicInstant
    do throws(SystemError) { now = try .now() } catch { throw .system(error) }
    deadline = lasting.map { now.advanced(nanoseconds: $0.microseconds * 1000) }
    (self.interruption, self.json, countMax) = (interruption, json, count)
    self.connection = connection
    start = Int64(reply.time)
  }

  /// Runs until a signal, the deadline, the last requested report, or the end of the stream or of the reader.
  mutating func run() throws(ToolError) {
    clock = try AgentClock(saying: Seconds(microseconds: start))
    while countMax.map({ count < $0 }) ?? true, try printer.flush(interruption), try receive() {}
    _ = try printer.flush(interruption)
    guard let deadline, count == 0, try Self.isOver(deadline) else { return }
    throw .sentence("no report came; accessoryctl status says how the radio is", .no)
  }

  private static func isOver(_ deadline: MonotonicInstant) throws(ToolError) -> Bool {
    do throws(SystemError) { return try .now() >= deadline } catch { throw .clock(error) }
  }

  /// Prints the next message. Returns whether there may be another.
  private mutating func receive() throws(ToolError) -> Bool {
    let bytes: [UInt8]
    do throws(SystemError) {
      guard let message = try nextMessage() else { return false }
      bytes = message
    } catch {
      throw .system(error)
    }
    guard !bytes.isEmpty else {
      throw .sentence("the agent has ended the stream; accessoryctl status says how it is", .unavailable)
    }
    let message: ReportMessage
    do throws(ReportMessageError) { message = try ReportMessage(bytes) } catch {
      throw .sentence(
        "the agent sent what this tool cannot read; install the same version of both", .protocolError)
    }
    try print(message)
    return true
  }

  /// The next message; empty when the agent has closed the socket, and nil when the tool is to end.
  private mutating func nextMessage() throws(SystemError) -> [UInt8]? {
    while true {
      guard let socket = connection.passed else { return [] }
      let entries = [Polling.Entry(socket.descriptor.number, .readable)] + interruption.entries()
      let ready = try Polling.wait(entries, until: deadline)
      guard ready[1].isEmpty, !ready[2].contains(.hungUp), !ready[0].isEmpty else { return nil }
      var bytes = [UInt8](repeating: 0, count: ReportMessage.byteCountMax)
      guard let count = try socket.descriptor.read(into: &bytes) else { continue }
      return Array(bytes[..<count])
    }
  }

  private mutating func print(_ message: ReportMessage) throws(ToolError) {
    if message.missed > missed { try printMissed(message.missed - missed) }
    missed = message.missed
    switch message.content {
    case .radio(let state, let isActive): try printRadio(state, isActive: isActive)
    case .reports(let reports):
      for report in reports.prefix(countMax.map { $0 - count } ?? reports.count) {
        count += 1
        try printReport(report)
      }
    }
  }

  private mutating func printReport(_ report: ReportMessage.Report) throws(ToolError) {
    let time = Seconds(microseconds: start + Int64(clamping: report.record.time))
    if json {
      return try printer.lines { $0.line { json in report.writeMembers(time: time, to: &json) } }
    }
    let wall = try clock?.wallTime(of: time).localTime
    try printer.text("\(wall ?? time.text(decimals: 3))  \(report.text)\n")
  }

  private mutating func printMissed(_ count: UInt64) throws(ToolError) {
    if json { return try printer.lines { $0.line { json in json.member("missed", count) } } }
    try printer.text("-- \(count) \(count == 1 ? "report was" : "reports were") missed\n")
  }

  private mutating func printRadio(_ state: ReportRadioState, isActive: Bool) throws(ToolError) {
    let word =
      switch state {
      case .on: "on"
      case .off: "off"
      case .recovering: "recovering"
      case .absent: "absent"
      }
    let scan = state == .on ? isActive ? "active" : "passive" : nil
    if json {
      return try printer.lines {
        $0.line { json in
          json.object("radio") { json in
            json.member("state", word)
            json.member("scan", scan)
          }
        }
      }
    }
    try printer.text("-- the radio is \(word)\(scan.map { ", it scans, \($0)" } ?? "")\n")
  }
}
