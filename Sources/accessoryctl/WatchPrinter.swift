// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText

/// Prints the events of a watch, its gaps, and the restarts of the agent.
struct WatchPrinter: ~Copyable {
  private var printer = Printer()
  private var table = EventTable()
  private let json: Bool
  private let selection: WatchSelection
  private let countMax: Int?
  private var count = 0
  /// Whether no finding of an item was printed for readers.
  private(set) var isQuiet: Bool
  /// Whether nothing was printed but the header.
  private(set) var isEmpty = true
  private var clock: AgentClock?
  /// The run of the agent that the watch is connected to.
  private var epoch = ""
  /// The date of the previous line.
  private var date: String?
  /// Since when the agent has been away.
  private var awaySince: WallTime?

  init(json: Bool, selection: WatchSelection, countMax: Int?) {
    self.json = json
    self.selection = selection
    self.countMax = countMax
    isQuiet = !json
  }

  /// Above the first line.
  mutating func printHeader() throws(ToolError) {
    if !json { try printer.text(table.header(printer.style)) }
  }

  /// For a person who sees the header and nothing else.
  func sayWhatItWaitsFor() {
    if let item = selection.item {
      StandardError.say(
        "waiting until the item \(quoted(item)) finds something; accessoryctl try \(shown(item)) says why it has not"
      )
    } else {
      let owner = selection.app.map { " of the app \(quoted($0))" } ?? ""
      StandardError.say(
        "waiting until an item\(owner) finds something; accessoryctl sightings --all lists what is heard")
    }
  }

  private mutating func printFinding(_ text: String) throws(ToolError) {
    isQuiet = false
    try printer.text(text)
  }

  var wantsMore: Bool { countMax.map { count < $0 } ?? true }

  // MARK: Events

  mutating func event(_ event: EventLine) throws(ToolError) {
    guard selection.includes(app: event.app, item: event.item) else { return }
    count += 1
    isEmpty = false
    if json {
      var event = event
      if event.epoch.isEmpty { event.epoch = epoch }
      return try printer.line(event)
    }
    let clock = try time(of: event.time)
    try printFinding(table.text(event, printer.style, clock: clock))
  }

  /// A device that was found before the watch began.
  mutating func present(_ device: DeviceLine) throws(ToolError) {
    let selection = selection
    let isWanted = { (item: DeviceLine.Item) in selection.includes(app: item.app, item: item.item) }
    guard device.items.contains(where: { $0.isFound && isWanted($0) }) else { return }
    if json { return try printLine { $0.object("present", device.writeMembers(to:)) } }
    let clock = try time(of: device.lastSeen)
    try printFinding(table.text(present: device, printer.style, clock: clock, where: isWanted))
  }

  /// Events of all items that were overwritten before they could be read.
  mutating func missed(_ count: Int64) throws(ToolError) {
    if json { return try printLine { $0.member("missed", count) } }
    try printNote("\(count) \(count == 1 ? "event was" : "events were") missed")
  }

  /// A network that an item has found or lost.
  mutating func network(_ event: NetworkEventLine) throws(ToolError) {
    guard selection.includes(app: event.app, item: event.item) else { return }
    count += 1
    if json { return try printObject("network", event) }
    let clock = try time(of: event.time)
    try printFinding(event.text(printer.style, clock: clock))
  }

  /// A network that was found before the watch began.
  mutating func present(_ network: NetworkLine) throws(ToolError) {
    let selection = selection
    let isWanted = { (item: NetworkLine.Item) in selection.includes(app: item.app, item: item.item) }
    guard network.items.contains(where: { $0.isFound && isWanted($0) }) else { return }
    if json { return try printObject("presentNetwork", network) }
    let clock = try time(of: network.lastSeen)
    try printFinding(network.presentText(printer.style, clock: clock, where: isWanted))
  }

  mutating func missedNetworks(_ count: Int64) throws(ToolError) {
    if json { return try printLine { $0.member("missedNetworks", count) } }
    try printNote(
      "\(count) \(count == 1 ? "event" : "events") of networks \(count == 1 ? "was" : "were") missed")
  }

  /// A line of JSON with the run of the agent and one object.
  private mutating func printObject(_ name: String, _ line: some Line) throws(ToolError) {
    try printLine { $0.object(name, line) }
  }

  /// A line of JSON with the run of the agent and one member more.
  private mutating func printLine(_ member: (inout JSONWriter) -> Void) throws(ToolError) {
    isEmpty = false
    try printer.lines { [epoch] in
      $0.line { json in
        json.member("epoch", epoch)
        member(&json)
      }
    }
  }

  /// A connection of an app to its accessory, unless only one item is wanted: accessories have none here.
  mutating func connection(_ connection: ConnectionLine) throws(ToolError) {
    guard selection.item == nil, selection.app.map({ $0 == connection.app }) ?? true else { return }
    if json { return try printObject("connection", connection) }
    let clock = try time(of: connection.time)
    try printer.text(connection.text(printer.style, clock: clock))
  }

  /// A change of the radio, unless only one app or item is wanted.
  mutating func radioChanged(_ change: RadioChangeLine) throws(ToolError) {
    guard selection.item == nil, selection.app == nil else { return }
    if json { return try printObject("radioChanged", change) }
    let clock = try time(of: change.time)
    try printer.text(change.text(clock: clock))
  }

  mutating func missedConnections(_ count: Int64) throws(ToolError) {
    if json { return try printLine { $0.member("missedConnections", count) } }
    try printNote(
      "\(count) \(count == 1 ? "connection or change of the radio was" : "connections or changes of the radio were") missed"
    )
  }

  // MARK: The agent goes and comes

  mutating func agentWentAway() throws(ToolError) {
    guard awaySince == nil else { return }
    awaySince = try Self.now()
    StandardError.say("the agent went away; waiting for it to come back")
  }

  /// Notes the agent's first reply on a connection; `before` is where the watch was.
  mutating func noteGreeting(_ clock: AgentClock, _ cursor: WatchCursor, before: WatchCursor?)
    throws(ToolError)
  {
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
    try printNote(
      isSame
        ? "the agent was out of reach \(span); the missed events are counted next"
        : "the agent was away \(span) and restarted; events meanwhile are lost")
  }

  /// `from 16:05:09 to 16:05:11`.
  private mutating func absence() throws(ToolError) -> String {
    let (start, end) = (awaySince, try Self.now())
    awaySince = nil
    return "from \(start?.localTime ?? "?") to \(end.localTime ?? "?")"
  }

  // MARK: Lines

  /// The wall-clock time of an event; a new day gets a line of its own.
  private mutating func time(of time: Seconds) throws(ToolError) -> String {
    isEmpty = false
    guard let wall = try clock?.wallTime(of: time) else { return time.text(decimals: 3) }
    if let day = wall.localDate, day != date {
      if date != nil { try printer.text("\(day)\n") }
      date = day
    }
    return wall.localTime ?? time.text(decimals: 3)
  }

  private mutating func printNote(_ sentence: String) throws(ToolError) {
    isEmpty = false
    let time = try Self.now().localTime ?? ""
    try printer.text("\(String(repeating: " ", count: max(0, 9 - time.count)))\(time) -- \(sentence)\n")
  }

  private static func now() throws(ToolError) -> WallTime {
    do throws(SystemError) { return try .now() } catch { throw .clock(error) }
  }

  /// Returns whether to go on.
  mutating func flush(_ interruption: Interruption) throws(ToolError) -> Bool {
    try printer.flush(interruption)
  }

  mutating func end(_ interruption: Interruption) throws(ToolError) { _ = try printer.flush(interruption) }
}
