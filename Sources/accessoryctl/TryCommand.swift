// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import Manifest
import ToolText

struct TryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "try",
    abstract: "Say what matches an item now, and why the rest does not.",
    usage: """
      accessoryctl try <item> [options]
      accessoryctl try <item> --capture <file> [--manifest <file>] […]
      """,
    discussion: """
      One line per device: whether the item has found it, and if not, the first clause \
      that does not hold or what the gate waits for. Asks the agent, or looks into a \
      capture. Exit status: 0 the item has found a device, 1 it has not.

      Examples:
        accessoryctl try lights/bulb
        accessoryctl try bulb --capture room.btsnoop --manifest accessoryd.toml
      """)

  @Argument(help: "An item's id, with its app before it (app/item) where another app has one of the same id.")
  var item: String

  @OptionGroup var source: LookSource

  @Flag(help: "One JSON object per device (Config/schema/try.schema.json).")
  var json = false

  func validate() throws { try source.requireManifest() }

  func run() throws {
    guard let capture = source.capture else {
      let trials = try source.gateway.list(GatewayMethodName.try, GatewayCall(item: item).write) {
        line throws(JSONMemberError) in
        try line.objectIfPresent("trial").map { line throws(JSONMemberError) in try Trial(reading: line) }
      }
      return try show(Trial.grouped(trials)).end()
    }
    try source.replay(capture) { dataPath throws(Failure) in
      let index = try self.index(in: dataPath.items)
      var groups: [[Trial]] = []
      for device in dataPath.devices {
        groups.append(dataPath.explanations(of: device, item: index).map(Trial.init))
      }
      return try show(groups)
    }
  }

  /// The trials of each device. People get one line per device: of the identity that matches, or else of the item's
  /// first.
  private func show(_ devices: [[Trial]]) throws(Failure) -> ExitStatus {
    var printer = Printer()
    for trials in devices {
      if json {
        for trial in trials { try printer.line(trial) }
      } else if let best = trials.first(where: \.holds) ?? trials.first {
        try printer.text(best.text(printer.style))
      }
    }
    try printer.flush()
    return devices.contains { $0.contains(where: \.isFound) } ? .success : .no
  }

  private func index(in items: [ManifestItem]) throws(Failure) -> Int {
    do throws(ItemNameError) { return try items.index(named: item) } catch {
      switch error {
      case .unknown(let known): throw .unknownItem(item, known: known, isAmbiguous: false)
      case .ambiguous(let candidates): throw .unknownItem(item, known: candidates, isAmbiguous: true)
      }
    }
  }
}
