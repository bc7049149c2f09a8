// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import ArgumentParser
import Interfaces
import JSON
import Manifest
import ToolText

struct SightingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sightings",
    abstract: "List the devices in sight, or the networks, the strongest first.",
    usage: """
      accessoryctl sightings [--all] [--networks] [options]
      accessoryctl sightings --capture <file> [--manifest <file>] […]
      """,
    discussion: """
      Lists the devices that match an item of the manifest. An item in parentheses matches \
      but has not found the device, because it is not at the gateway. With --all, lists \
      every device that is remembered. Asks the agent, or reads a capture: then an item \
      also says how often it found the device, and when first. Standard error names items \
      that turned devices away because they are full. With --networks, lists the networks \
      whose names match an item with ssid or ssid-prefix, or all; a name is in quotes, with \
      escapes for what cannot be shown. Exit status: 0 there are devices or networks, 1 there \
      are none.

      Examples:
        accessoryctl sightings
        accessoryctl sightings --all --json
        accessoryctl sightings --networks --all
        accessoryctl sightings --capture room.btsnoop --manifest accessoryd.toml
        accessoryctl sightings --all --capture room.btsnoop
      """)

  @OptionGroup var source: LookSource

  @Flag(help: "Also list devices or networks that match no item.")
  var all = false

  @Flag(help: "List networks instead of devices.")
  var networks = false

  @Flag(
    help: """
      One JSON object per device (Config/schema/sightings.schema.json) or network \
      (networks.schema.json).
      """)
  var json = false

  func validate() throws {
    if networks, isCapture { throw ValidationError("--networks asks the agent; a capture has no networks") }
    if !all { try source.requireManifest(or: ", or list every device with --all") }
  }

  func run() throws {
    guard !networks else { return try showNetworks().throwUnlessSuccess() }
    guard let capture = source.capture else {
      let call = GatewayCall(all: all)
      var full: [TurnedAwayLine] = []
      let devices = try source.gateway.callForList(GatewayMethodName.sightings, call.write) {
        line throws(JSONMemberError) -> DeviceLine? in
        if let item: TurnedAwayLine = try line.lineIfPresent("turnedAway") { full.append(item) }
        return try line.lineIfPresent("device")
      }
      let status = try show(devices.sorted(by: DeviceLine.areStrongestFirst))
      show(full)
      return try status.throwUnlessSuccess()
    }
    try source.replay(capture) { dataPath, history throws(ToolError) in
      let devices = dataPath.devices.map { DeviceLine($0, in: history) }
      let status = try show(devices.filter { all || !$0.items.isEmpty })
      show(dataPath.turnedAwayLines)
      return status
    }
  }

  /// The output has only devices.
  private func show(_ full: [TurnedAwayLine]) {
    for item in full { StandardError.say(item.sentence) }
  }

  private func showNetworks() throws(ToolError) -> ExitStatus {
    let networks: [NetworkLine] = try source.gateway.callForList(
      GatewayMethodName.networks, GatewayCall(all: all).write
    ) { line throws(JSONMemberError) -> NetworkLine? in try line.lineIfPresent("network") }
    guard !networks.isEmpty else {
      guard try !source.gateway.sayNetworkProblem() else { return .no }
      StandardError.say(
        all
          ? Gateway.reasonNoNetworkIsKnown
          : "no network matches an item of the manifest; accessoryctl sightings --networks --all lists every one"
      )
      return .no
    }
    var printer = Printer()
    if !json { try printer.text(NetworkLine.textHeader) }
    for network in networks {
      if json { try printer.line(network) } else { try printer.text(network.text(printer.style)) }
    }
    try printer.flush()
    try source.gateway.sayNetworkProblem()
    return .success
  }

  private var isCapture: Bool { source.capture != nil }

  private func show(_ devices: [DeviceLine]) throws(ToolError) -> ExitStatus {
    guard !devices.isEmpty else {
      StandardError.say(
        all
          ? "no device has been heard\(isCapture ? " in the capture" : "; accessoryctl status says how the radio is")"
          : "no device matches an item of the manifest; accessoryctl sightings --all lists every device")
      return .no
    }
    var printer = Printer()
    if !json { try printer.text(DeviceLine.textHeader) }
    for device in devices {
      if json { try printer.line(device) } else { try printer.text(device.text(printer.style)) }
    }
    try printer.flush()
    return .success
  }
}
