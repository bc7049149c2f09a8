// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import HCI
import Registry
import Setup
import Testing

@Suite("Log lines")
struct LogTests {
  /// Where lines go; it takes none while it is full.
  private final class Sink {
    var isFull = false
    var lines: [String] = []

    func write(_ line: [UInt8]) -> Bool {
      guard !isFull else { return false }
      lines.append(String(decoding: line, as: UTF8.self))
      return true
    }
  }

  @Test("A journal line has a priority and no time, a terminal line a time and a level")
  func styles() {
    let journal = LogStyle.journal.line(.warning, "hot", time: "now")
    #expect(String(decoding: journal, as: UTF8.self) == "<4>hot\n")
    let terminal = LogStyle.terminal.line(.warning, "hot", time: "now")
    #expect(String(decoding: terminal, as: UTF8.self) == "now warning: hot\n")
  }

  @Test("No text makes a second line or moves a cursor")
  func controls() {
    let line = LogStyle.journal.line(.info, "a\n<0>b\u{1B}[2J\u{7F}", time: "")
    #expect(String(decoding: line, as: UTF8.self) == "<6>a\\u{A}<0>b\\u{1B}[2J\\u{7F}\n")
  }

  @Test("An accessory that is suspended is not said to be lost, nor one that is back to be new")
  func suspension() {
    let identifier = RandomIdentifier(high: 0, low: 1)
    let suspended = SetupNotice.suspended(app: "lights", item: "bulb", identifier).sentence
    #expect(
      suspended.contains("suspended: the app now belongs to another account; accessoryctl authorize lights"))
    let restored = SetupNotice.restored(app: "lights", item: nil, identifier).sentence
    #expect(restored == "lights has its suspended accessory \(identifier.text) again")
  }

  @Test("A line that a pipe would not take whole is cut between characters")
  func length() {
    let line = LogStyle.journal.line(.info, String(repeating: "é", count: 4000), time: "")
    #expect(line.count <= 4096)
    #expect(String(decoding: line, as: UTF8.self).hasSuffix("é…\n"))
  }

  @Test("Lines that are not read are dropped and counted, and a later line reports the loss")
  func loss() {
    let sink = Sink()
    var log = Log(.journal, .info, time: { "" }, write: sink.write)
    sink.isFull = true
    log.say(.info, "one")
    log.say(.info, "two")
    sink.isFull = false
    log.say(.info, "three")
    #expect(sink.lines == ["<4>2 log lines were lost: standard error was not read in time\n", "<6>three\n"])
    #expect(log.droppedCount == 2)
  }

  @Test("What matters less than the level is not said")
  func level() {
    let sink = Sink()
    var log = Log(.journal, .notice, time: { "" }, write: sink.write)
    log.say(.info, "chatter")
    log.say(.notice, "news")
    #expect(sink.lines == ["<5>news\n"])
  }

  @Test(
    "An untrusted party causes one line of a kind a minute, and the next one reports how many were held back")
  func limiter() {
    var limiter = LogLimiter<LimitedLineKind>()
    let start = Instant(microseconds: 0)
    #expect(limiter.admit(.unknownAccounts, at: start) == 0)
    for second in 1..<60 {
      #expect(limiter.admit(.unknownAccounts, at: start.advanced(milliseconds: Int64(second) * 1000)) == nil)
    }
    #expect(limiter.admit(.full, at: start) == 0)
    #expect(limiter.admit(.unknownAccounts, at: start.advanced(milliseconds: 60_000)) == 59)
    #expect(limiter.admit(.unknownAccounts, at: start.advanced(milliseconds: 60_001)) == nil)
  }
}
