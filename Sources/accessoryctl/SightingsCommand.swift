// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Rendering

struct SightingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sightings",
    abstract: "List what is near, the strongest first.",
    usage: "accessoryctl sightings --capture <file> [--manifest <file>] [options]",
    discussion: """
      Devices that match an item of the manifest; items in parentheses match but have not \
      found the device (it is not at the gateway). With --all, every device that is \
      remembered. Exit status: 0 there are some, 1 there are none.

      Examples:
        accessoryctl sightings --capture room.btsnoop --manifest accessoryd.toml
        accessoryctl sightings --all --capture room.btsnoop
      """)

  @OptionGroup var source: CaptureLook

  @Flag(help: "Devices that match nothing, too.")
  var all = false

  @Flag(help: "One JSON object per device (Config/schema/sightings.schema.json).")
  var json = false

  func validate() throws { if !all { try source.look.requireManifest() } }

  func run() throws {
    try source.ask { replay throws(Failure) in
      let devices = replay.dataPath.devices.filter { all || !$0.matches.isEmpty }
      guard !devices.isEmpty else { return .no }
      var printer = Printer()
      if !json { try printer.text(DeviceLine.textHeader) }
      for device in devices { try show(DeviceLine(device), &printer) }
      try printer.flush()
      return .success
    }
  }

  private func show(_ device: DeviceLine, _ printer: inout Printer) throws(Failure) {
    guard json else { return try printer.text(device.text(printer.style)) }
    try printer.lines { device.write(to: &$0) }
  }
}
