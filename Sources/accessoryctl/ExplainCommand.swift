// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Rendering

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say why a device does or does not match, clause by clause.",
    usage: "accessoryctl explain <device> --capture <file> --manifest <file> [...]",
    discussion: """
      For every item of the manifest: each clause, what it wants, what the device \
      advertises instead, and where the first difference is; then how strong the device \
      is and what the gate makes of it. Exit status: 0 an item has found the device, \
      1 none has, or it was not heard.

      Example:
        accessoryctl explain AA:BB:CC:DD:EE:FF --capture room.btsnoop \\
          --manifest accessoryd.toml
      """)

  @Argument(help: "The device's address, as decode and sightings show it.")
  var device: DeviceArgument

  @OptionGroup var source: CaptureLook

  @Flag(help: "One JSON object per item (Config/schema/explain.schema.json).")
  var json = false

  func validate() throws { try source.look.requireManifest() }

  func run() throws {
    try source.ask { replay throws(Failure) in
      let devices = replay.dataPath.devices(at: device.bits)
      guard !devices.isEmpty else {
        throw .sentence("\(device.text) is not in sight; accessoryctl sightings --all lists what is", .no)
      }
      var printer = Printer()
      var isFound = false
      for view in devices {
        if !json { try printer.text(DeviceLine.textHeader + DeviceLine(view).text(printer.style)) }
        for explanation in replay.dataPath.explanations(of: view) {
          isFound = isFound || explanation.isFound
          try show(explanation, &printer)
        }
      }
      try printer.flush()
      return isFound ? .success : .no
    }
  }

  private func show(_ explanation: ItemExplanation, _ printer: inout Printer) throws(Failure) {
    guard json else { return try printer.text(explanation.text(printer.style)) }
    try printer.lines { explanation.write(to: &$0) }
  }
}
