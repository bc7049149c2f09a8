// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import LinuxSystem
import Manifest
import ToolText

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Show the events that the agent would have reported for a capture.",
    usage: "accessoryctl replay <capture> --manifest <file> [options]",
    discussion: """
      Runs the agent's own data path over the capture. Each line is a sighting that was \
      found, changed or lost, with the level on which the gate decided. The lines are the \
      same at every speed. Exit status: 0 an item found a device, 1 none did.

      Examples:
        accessoryctl replay room.btsnoop --manifest accessoryd.toml
        accessoryctl replay room.btsnoop --manifest accessoryd.toml --speed real
        accessoryctl replay room.btsnoop --manifest accessoryd.toml --json --summary
      """)

  @Argument(help: "A btsnoop file (HCI, H4 or monitor format), or - for standard input.", completion: .file())
  var capture: String

  @OptionGroup var look: LookOptions

  @Flag(help: "One JSON object per event (Config/schema/replay.schema.json).")
  var json = false

  @Flag(help: "End with the counters (Config/schema/replay-summary.schema.json).")
  var summary = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "real, max, or how many times faster than it was recorded. (default: max)", valueName: "speed"),
    transform: Pace.init(parsing:))
  var speed = Pace.unlimited

  func validate() throws { try look.requireManifest() }

  func run() throws {
    let file = try CaptureFile(reading: capture)
    var replay = CaptureReplay(try look.dataPath())
    let items = replay.dataPath.items.map(\.path)
    var show = Show(EventTable(items: items), json: json, pace: speed, start: try Self.now())
    let ending = Result { () throws(ToolError) in
      try file.replay(&replay, until: look.seconds?.instant) { () throws(ToolError) in
        try show.flush()
      } _: { events throws(ToolError) in
        for event in events { try show.event(event) }
      }
    }
    replay.end()
    // The summary covers a capture that is cut off; a file that is no capture gets none.
    try show.end(replay, isSummary: summary && replay.recordCount > 0)
    if case .failure(let error) = ending { try error.warn(hasResult: replay.recordCount > 0) }
    guard show.isEmpty else { return }
    throw ToolError.sentence("no item of the manifest found a device; accessoryctl explain says why", .no)
  }

  private static func now() throws(ToolError) -> MonotonicInstant {
    do throws(SystemError) { return try MonotonicInstant.now() } catch { throw .clock(error) }
  }
}

extension ReplayCommand {
  /// Prints events when they are due.
  private struct Show: ~Copyable {
    private var printer = Printer(keepsNull: true)
    private var table: EventTable
    private let json: Bool
    private let pace: Pace
    private let start: MonotonicInstant

    init(_ table: EventTable, json: Bool, pace: Pace, start: MonotonicInstant) {
      self.table = table
      self.json = json
      self.pace = pace
      self.start = start
    }

    private(set) var isEmpty = true

    mutating func event(_ event: EventLine) throws(ToolError) {
      isEmpty = false
      try wait(until: event.time)
      if json {
        try printer.lines { event.write(to: &$0) }
      } else {
        try printer.text(table.text(event, printer.style))
      }
    }

    mutating func flush() throws(ToolError) { try printer.flush() }

    mutating func end(_ replay: borrowing CaptureReplay, isSummary: Bool) throws(ToolError) {
      try wait(until: Seconds(microseconds: replay.duration.microseconds))
      if isSummary {
        if json {
          try printer.lines { replay.writeSummary(to: &$0) }
        } else {
          try printer.text(replay.summaryText)
        }
      }
      try printer.flush()
    }

    private mutating func wait(until time: Seconds) throws(ToolError) {
      guard let deadline = pace.deadline(time, since: start) else { return }
      guard try printer.wait(until: deadline) else { throw .reported(.success) }
    }
  }
}
