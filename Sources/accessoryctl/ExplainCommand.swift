// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import ArgumentParser
import Explanation
import HCI
import Interfaces
import JSON
import Manifest
import Suggestions
import ToolText

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why a device or a network does or does not match, clause by clause.",
    usage: """
      accessoryctl explain <device> [options]
      accessoryctl explain <ssid> --network [options]
      accessoryctl explain <device> --at <time>
      accessoryctl explain <device> --capture <file> [--manifest <file>] […]
      accessoryctl explain [<device>] --hex <line> … --manifest <file>
      """,
    discussion: """
      Shows for the item that comes nearest each clause, the value it requires, what the \
      device advertises instead, and the first difference; then the device's level and \
      the gate's decision; for every other item that does not match, one line. Asks the agent, which listens \
      to the device for 3 s, or reads a capture; shows every frame that was received, and of a \
      capture how often and when an item found it. A network is compared by its name, with the \
      items that have ssid or ssid-prefix. A device enters the gate from 3/16 dB below the level \
      that lets in. A match ends when its silence is over, counted from the report that replaced the \
      frame that matched; a silence that a shorter learned interval makes overdue ends with the \
      report that shortened it. Exit status: 0 an item has found the device, 1 none has, or it was not heard.

      Examples:
        accessoryctl explain AA:BB:CC:DD:EE:FF
        accessoryctl explain "Lumo E27"
        accessoryctl explain --network Cam-0001
        accessoryctl explain AA:BB:CC:DD:EE:FF --capture room.btsnoop \\
          --manifest accessoryd.toml
      """)

  @Argument(
    help: """
      The device's address, or its own name, as sightings shows it; the name of an accessory, or \
      the beginning of its identifier; or the name of a network, as sightings --networks shows it.
      """,
    completion: Completions.devices)
  var device: NamedDevice?

  @Flag(
    help:
      "Explain the network with this name. The default for a name that a network in sight has, or an item looks for, and no device."
  )
  var network = false

  @Flag(help: "Also print the clauses of the items that the device does not match.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "How the device was heard at this time of the last ten minutes, such as 03:12 or 03:12:29.",
      valueName: "time"))
  var at: PastTime?

  @OptionGroup var source: LookSource

  @Flag(
    help: """
      One JSON object per item (Config/schema/explain.schema.json, for a network \
      explain-network.schema.json).
      """)
  var json = false

  func validate() throws {
    if device == nil, source.hex.input == nil {
      throw ValidationError("a device is missing: give its address or its name")
    }
    if at != nil, network || json || source.capture != nil {
      throw ValidationError("--at asks the agent about a device, and prints sentences")
    }
    if network, source.capture != nil {
      throw ValidationError("--network asks the agent; a capture has no networks")
    }
    try source.requireManifest()
  }

  func run() throws {
    guard let capture = try source.capture?.read() else {
      guard let device else { preconditionFailure("validated: there is a device") }
      return try runLive(device)
    }
    let device = try capture.address(of: device, try source.look.dataPath())
    try source.replay(capture, ofDevice: device.bits) { dataPath, history throws(ToolError) in
      let devices = dataPath.devices(at: device.bits)
      guard !devices.isEmpty else {
        if let view = dataPath.devices.first(where: {
          dataPath.reversedIdentity(of: $0.address)?.bits == device.bits
        }) {
          throw .sentence(ReversedKey.sentence(device.text, resolves: view.address.text ?? "an address"), .no)
        }
        throw capture.absence(of: device.text)
      }
      var show = Show(json: json, isWhole: all)
      for view in devices {
        let explanations = dataPath.items.indices.flatMap {
          dataPath.explanations(of: view, item: $0, in: history)
        }
        let frames = FrameList(view.inWhole(history).payloads, explanations)
        try show.device(DeviceLine(view, in: history), frames: frames)
        if let identity = dataPath.reversedIdentity(of: view.address) {
          ReversedKey.say(AddressText.text(of: identity.bits), resolves: device.text)
        }
        for explanation in explanations { try show.explanation(explanation) }
      }
      return try show.end()
    }
  }

  /// What the agent says about the network that a name means, which no device has; nil when it means none: no network in
  /// sight is called so, no item looks for it, and no accessory is one.
  private func networkAnswer(_ name: String, _ names: DeviceNames) throws(ToolError) -> NetworkAnswer? {
    if let ssid = names.network(named: name) { return try askAbout(ssid) }
    guard let named = NamedNetwork(argument: name) else { return nil }
    let answer = try askAbout(named.ssid)
    return answer.network != nil || answer.explanations.contains(where: \.holds) ? answer : nil
  }

  private func askAbout(_ ssid: AirText) throws(ToolError) -> NetworkAnswer {
    let network = try SetupAccessory.networksInSight(source.gateway).first { $0.ssid == ssid }
    return NetworkAnswer(
      ssid: ssid, network: network,
      explanations: try source.gateway.items().compactMap { NetworkExplanation(of: ssid.bytes, $0, network) })
  }

  private func showNetwork(_ answer: NetworkAnswer) throws(ToolError) -> ExitStatus {
    let explanations = answer.explanations
    var printer = Printer()
    if json {
      for explanation in explanations { try printer.line(explanation) }
    } else if let network = answer.network {
      try printer.text(NetworkLine.textHeader + network.text(printer.style))
    } else {
      StandardError.say("no network in sight is named \(answer.ssid.terminal())")
    }
    if !json {
      for explanation in explanations { try printer.text(explanation.text(printer.style, isNamed: true)) }
    }
    try printer.flush()
    if explanations.isEmpty { StandardError.say("no item of the manifest has ssid or ssid-prefix") }
    try source.gateway.sayNetworkProblem()
    return explanations.contains(where: \.isFound) ? .success : .no
  }

  /// Asks the agent about a device, or about the network that the name means.
  private func runLive(_ named: NamedDevice) throws(ToolError) {
    if network {
      guard let network = NamedNetwork(argument: named.argument) else {
        throw .sentence("a network's name has 1 to 32 bytes", .usage)
      }
      return try showNetwork(try askAbout(network.ssid)).throwUnlessSuccess()
    }
    guard case .name(let name) = named else { return try runLive(try named.address(askedOf: source.gateway)) }
    let names = try DeviceNames(askedOf: source.gateway, for: name)
    if let address = try names.address(named: name) {
      return try runLive(address, calledAs: names.accessories(named: name, at: address))
    }
    guard let answer = DeviceNames.isAddress(name) ? nil : try networkAnswer(name, names) else {
      throw names.unknown(name)
    }
    try showNetwork(answer).throwUnlessSuccess()
  }

  /// `accessories` are those that the name meant.
  private func runLive(
    _ device: DeviceArgument, calledAs accessories: [AccessoryLine] = []
  ) throws(ToolError) {
    let gateway = source.gateway
    if let at {
      var printer = Printer()
      try printer.text(try PastMoment(of: device, gateway).text(at: at))
      return try printer.flush()
    }
    let items = try gateway.items()
    // One that is not in sight is not waited for.
    _ = try gateway.inspect(device: device)
    let heard = try Listening(seconds: Self.listeningSeconds).heard(of: device, gateway)
    var show = Show(json: json, isWhole: all)
    try show.accessories(accessories)
    for found in try gateway.inspect(device: device).devices {
      let observed = found.observed(in: heard)
      let explanations = items.flatMap(observed.explanations)
      try show.device(found.line, frames: FrameList(observed.payloads, explanations))
      if let identity = found.reversedIdentityKey {
        ReversedKey.say(identity, resolves: found.line.address.text)
      }
      for explanation in explanations { try show.explanation(explanation) }
    }
    try show.end().throwUnlessSuccess()
  }

  /// How long the agent listens for frames; most devices that alternate them send all in this time.
  static let listeningSeconds = 3
}

extension ExplainCommand {
  /// What the agent says about a network's name.
  private struct NetworkAnswer {
    let ssid: AirText
    /// nil when it is not in sight.
    let network: NetworkLine?
    let explanations: [NetworkExplanation]
  }

  private struct Show: ~Copyable {
    private var printer = Printer()
    private var isFound = false
    private var isEmpty = true
    /// The explanations of one device.
    private var waiting: [ItemExplanation] = []
    private let json: Bool
    /// Whether every item is explained clause by clause.
    private let isWhole: Bool

    init(json: Bool, isWhole: Bool) {
      self.json = json
      self.isWhole = isWhole
    }

    /// Above the device, what it was called by.
    mutating func accessories(_ accessories: [AccessoryLine]) throws(ToolError) {
      guard !json else { return }
      let listed = accessories.listed
      for (accessory, identifier) in zip(listed, listed.shortIdentifiers) {
        try printer.text("accessory \(accessory.description(identifier: identifier))\n")
      }
    }

    /// Above the explanations of a device.
    mutating func device(_ device: DeviceLine, frames: FrameList? = nil) throws(ToolError) {
      try printWaiting()
      guard !json else { return }
      try printer.text(
        DeviceLine.textHeader + device.text(printer.style) + (frames?.text(printer.style) ?? ""))
    }

    mutating func explanation(_ explanation: ItemExplanation) throws(ToolError) {
      isFound = isFound || explanation.isFound
      isEmpty = false
      if json { try printer.line(explanation) } else { waiting.append(explanation) }
    }

    /// The item that comes nearest is first; of those that come equally near, the manifest's first. The others have a
    /// line each, unless they match too.
    private mutating func printWaiting() throws(ToolError) {
      let ordered = waiting.enumerated().sorted {
        (-$0.element.nearness, $0.offset) < (-$1.element.nearness, $1.offset)
      }
      waiting = []
      for (place, (_, explanation)) in ordered.enumerated() {
        let isNear = place == 0 || explanation.holds || isWhole
        try printer.text(isNear ? explanation.text(printer.style) : explanation.line(printer.style))
      }
    }

    mutating func end() throws(ToolError) -> ExitStatus {
      try printWaiting()
      try printer.flush()
      if isEmpty { StandardError.say("the manifest has no item, so that nothing can match") }
      return isFound ? .success : .no
    }
  }
}
