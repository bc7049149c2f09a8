// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import ArgumentParser
import Interfaces
import JSON
import HCI
import Manifest
import Suggestions
import ToolText

struct TryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "try",
    abstract: "Show which devices or networks match an item now, and why the others do not.",
    usage: """
      accessoryctl try <item> [options]
      accessoryctl try <item> --capture <file> [--manifest <file>] […]
      accessoryctl try <item> --hex <line> … --manifest <file>
      """,
    discussion: """
      Prints the devices that the item has found, then near misses with the first clause that \
      does not hold, or what the gate waits for, and counts the others; --all lists these too. \
      An item with ssid or ssid-prefix alone is compared with the networks; of one with Wi-Fi Aware \
      properties alone it says that nothing searches for it. \
      Asks the agent, or reads a capture: then it says how often and when the item found each. \
      Exit status: 0 the item has found a device, 1 it has not.

      Examples:
        accessoryctl try lights/bulb
        accessoryctl try bulb --capture room.btsnoop --manifest accessoryd.toml
      """)

  @Argument(
    help: "An item's id; app/item where several apps have an item with this id.",
    completion: Completions.items)
  var item: String

  @OptionGroup var source: LookSource

  @Flag(help: "Also list the devices or networks that do not match at all.")
  var all = false

  @Flag(
    help: """
      One JSON object per device (Config/schema/try.schema.json) or network (explain-network.schema.json).
      """)
  var json = false

  func validate() throws { try source.requireManifest() }

  func run() throws {
    guard let capture = source.capture else { return try runLive().throwUnlessSuccess() }
    try source.replay(capture) { dataPath, history throws(ToolError) in
      let index = try self.index(in: dataPath.items)
      let descriptor = dataPath.items[index].item.descriptor
      if descriptor.hasOnlyWiFiAware { return showNothing(WiFiAwareService.reasonNothingIsFound) }
      if descriptor.isFoundByNetwork {
        return showNothing(
          "looks for a network, and \(capture.option) has what Bluetooth devices sent; ask the agent, which looks for networks"
        )
      }
      var groups: [[Trial]] = []
      for device in dataPath.devices {
        let name = device.name?.text
        let explanations = dataPath.explanations(of: device, item: index, in: history)
        groups.append(explanations.map { Trial($0, name: name) })
      }
      return try show(groups)
    }
  }

  private func runLive() throws(ToolError) -> ExitStatus {
    let gateway = source.gateway
    let items = try gateway.items()
    let item = items[try index(in: items)]
    var inspection = try gateway.inspect(item: item.path)
    if let reason = inspection.reasonNothingIsFound { return showNothing(reason) }
    guard !item.item.descriptor.isFoundByNetwork else {
      let networks = try SetupAccessory.networksInSight(gateway)
      let status = try show(networks.compactMap { NetworkExplanation(of: $0.ssid.bytes, item, $0) })
      try gateway.sayNetworkProblem()
      return status
    }
    func explanations(_ device: InspectedDevice, _ heard: SuggestionSources) -> [ItemExplanation] {
      device.observed(in: heard).explanations(of: item)
    }
    // Clauses that do not hold on what a device sent last may hold on what it sends next.
    var heard = SuggestionSources()
    let isNear = inspection.devices.contains { explanations($0, heard).contains { $0.isNear && !$0.holds } }
    if isNear {
      heard = try Listening(seconds: ExplainCommand.listeningSeconds).heard(gateway)
      inspection = try gateway.inspect(item: item.path)
    }
    return try show(
      Trial.ordered(
        inspection.devices.map { device in
          explanations(device, heard).map { Trial($0, name: device.line.name) }
        }))
  }

  /// Says why the item finds nothing. `reason` lacks its subject.
  private func showNothing(_ reason: String) -> ExitStatus {
    StandardError.say("\(item.quotedForDisplay) \(reason)")
    return .no
  }

  /// Prints the trials of each device. As text, one line for each device: for the identity that comes nearest.
  private func show(_ devices: [[Trial]]) throws(ToolError) -> ExitStatus {
    if devices.isEmpty { StandardError.say("no device has been heard, so none can match the item") }
    var printer = Printer()
    if json {
      for trial in devices.joined() { try printer.line(trial) }
    } else {
      try printer.text(TrialList(devices, isWhole: all).text(printer.style))
    }
    try printer.flush()
    return devices.contains { $0.contains(where: \.isFound) } ? .success : .no
  }

  /// Prints what the item says about each network: of those that do not match, only how many there are.
  private func show(_ networks: [NetworkExplanation]) throws(ToolError) -> ExitStatus {
    var printer = Printer()
    let listed = networks.filter { $0.holds || all }
    if json {
      for network in networks { try printer.line(network) }
    } else {
      for network in listed { try printer.text(network.text(printer.style, isNamed: false)) }
      let others = networks.count - listed.count
      if others > 0 {
        let noun = others == 1 ? "network does" : "networks do"
        try printer.text("\(others) \(listed.isEmpty ? "" : "other ")\(noun) not match\n")
      }
    }
    try printer.flush()
    return networks.contains(where: \.isFound) ? .success : .no
  }

  private func index(in items: [ManifestItem]) throws(ToolError) -> Int {
    do throws(ItemNameError) { return try items.index(named: item) } catch {
      switch error {
      case .unknown(let known): throw .unknownItem(item, known: known, isAmbiguous: false)
      case .ambiguous(let candidates): throw .unknownItem(item, known: candidates, isAmbiguous: true)
      }
    }
  }
}
