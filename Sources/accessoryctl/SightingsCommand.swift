// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import ToolText

struct SightingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sightings",
    abstract: "List what is near, the strongest first.",
    usage: """
      accessoryctl sightings [--all] [options]
      accessoryctl sightings --capture <file> [--manifest <file>] […]
      """,
    discussion: """
      Devices that match an item of the manifest; items in parentheses match but have not \
      found the device (it is not at the gateway). With --all, every device that is \
      remembered. Asks the agent, or looks into a capture. Exit status: 0 there are some, \
      1 there are none.

      Examples:
        accessoryctl sightings
        accessoryctl sightings --all --json
        accessoryctl sightings --capture room.btsnoop --manifest accessoryd.toml
        accessoryctl sightings --all --capture room.btsnoop
      """)

  @OptionGroup var source: LookSource

  @Flag(help: "Devices that match nothing, too.")
  var all = false

  @Flag(help: "One JSON object per device (Config/schema/sightings.schema.json).")
  var json = false

  func validate() throws { if !all { try source.requireManifest() } }

  func run() throws {
    guard let capture = source.capture else {
      let call = GatewayCall(all: all)
      let devices = try source.gateway.list(GatewayMethodName.sightings, call.write) {
        line throws(JSONMemberError) in
        try line.objectIfPresent("device").map { line throws(JSONMemberError) in try DeviceLine(reading: line)
        }
      }
      let status = try show(devices.sorted(by: DeviceLine.areStrongestFirst))
      return try status.end()
    }
    try source.replay(capture) { dataPath throws(Failure) in
      try show(dataPath.devices.filter { all || !$0.matches.isEmpty }.map(DeviceLine.init))
    }
  }

  private func show(_ devices: [DeviceLine]) throws(Failure) -> ExitStatus {
    guard !devices.isEmpty else { return .no }
    var printer = Printer()
    if !json { try printer.text(DeviceLine.textHeader) }
    for device in devices {
      if json { try printer.line(device) } else { try printer.text(device.text(printer.style)) }
    }
    try printer.flush()
    return .success
  }
}
