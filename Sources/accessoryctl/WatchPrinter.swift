// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolText

/// What a watch prints: events, gaps, and what happened to the agent.
struct WatchPrinter: ~Copyable {
  private var printer = Printer()
  private let json: Bool
  private let selection: WatchSelection
  private let countMax: Int?
  private var count = 0
  private var clock: AgentClock?
  /// The run of the agent that the watch is connected to.
  private var epoch = ""
  /// The day of the line before.
  private var date: String?
  /// Since when the agent has been away.
  private var awaySince: WallTime?

  init(json: Bool, selection: WatchSelection, countMax: Int?) {
    self.json = json
    self.selection = selection
    self.countMax = countMax
  }

  var wantsMore: Bool { countMax.map { count < $0 } ?? true }

  // MARK: What the agent says

  mutating func event(_ event: EventLine) throws(Failure) {
    guard selection.holds(app: event.app, item: event.item) else { return }
    count += 1
    if json {
      var event = event
      event.epoch = event.epoch ?? epoch
      return try printer.line(event)
    }
    try printer.text(event.text(printer.style, clock: try time(of: event.time)))
  }

  /// A device that was found before the watch began.
  mutating func present(_ device: DeviceLine) throws(Failure) {
    let selection = selection
    let isWanted = { (item: DeviceLine.Item) in selection.holds(app: item.app, item: item.id) }
    guard device.items.contains(where: { $0.isFound && isWanted($0) }) else { return }
    if json {
      return try printer.lines { [epoch] in
        $0.line { json in
          json.member("epoch", epoch)
          json.object("present", device.writeMembers(to:))
        }
      }
    }
    let clock = try time(of: device.lastSeen)
    try printer.text(device.presentText(printer.style, clock: clock, where: isWanted))
  }

  /// Events of all items that were overwritten before they could be read.
  mutating func missed(_ count: Int64) throws(Failure) {
    if json {
      return try printer.lines { [epoch] in
        $0.line { json in
          json.member("epoch", epoch)
          json.member("missed", count)
        }
      }
    }
    try note("\(count) \(count == 1 ? "event was" : "events were") missed")
  }

  // MARK: What happens to the agent

  mutating func agentWentAway() throws(Failure) {
    guard awaySince == nil else { return }
    awaySince = try Self.now()
    StandardError.say("the agent went away; waiting for it to come back")
  }

  /// The agent's first word on a connection; `before` is where the watch was.
  mutating func greet(_ clock: AgentClock, _ cursor: WatchCursor, before: WatchCursor?) throws(Failure) {
    self.clock = clock
    epoch = cursor.epoch
    guard let before else { return }
    let isSame = before.epoch == cursor.epoch
    let span = try absence()
    if json {
      guard !isSame else { return }
      return try printer.lines { writer in
        writer.line { json in
          json.member("epoch", cursor.epoch)
          json.object("reset") { $0.member("sequence", cursor.sequence) }
        }
      }
    }
    try note(
      isSame
        ? "the agent was out of reach \(span); what was missed is said next"
        : "the agent was away \(span) and started anew; what happened meanwhile is unknown")
  }

  /// `from 16:05:09 to 16:05:11`.
  private mutating func absence() throws(Failure) -> String {
    let (start, end) = (awaySince, try Self.now())
    awaySince = nil
    return "from \(start?.localTime ?? "?") to \(end.localTime ?? "?")"
  }

  // MARK: Lines

  /// When an event happened, by the clock here; a new day has a line of its own.
  private mutating func time(of time: Seconds) throws(Failure) -> String {
    guard let wall = try clock?.wallTime(of: time) else { return time.text(decimals: 3) }
    if let day = wall.localDate, day != date {
      if date != nil { try printer.text("\(day)\n") }
      date = day
    }
    return wall.localTime ?? time.text(decimals: 3)
  }

  private mutating func note(_ sentence: String) throws(Failure) {
    let time = try Self.now().localTime ?? ""
    try printer.text("\(String(repeating: " ", count: max(0, 9 - time.count)))\(time) -- \(sentence)\n")
  }

  private static func now() throws(Failure) -> WallTime {
    do throws(SystemError) { return try .now() } catch { throw .clock(error) }
  }

  /// Answers whether there is reason to go on.
  mutating func flush(_ interruption: Interruption) throws(Failure) -> Bool {
    try printer.flush(interruption)
  }

  mutating func end(_ interruption: Interruption) throws(Failure) { _ = try printer.flush(interruption) }
}
