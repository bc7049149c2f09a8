// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import Interfaces
import JSON
import LinuxSystem
import Suggestions
import ToolText

/// The devices in sight, of which `setup` makes one the first accessory.
enum SetupDevices {
  private static let radioSeconds = 30
  /// How long a device that was named may take to be heard.
  private static let deviceSeconds = 60
  /// How long the operator has to hold the accessory near before the devices are listed.
  private static let listSeconds = 5
  private static let shownMax = 12
  /// Comes before the name of a network in an answer.
  private static let networkWord = "network "

  /// Waits until the radio scans.
  private static func awaitRadio(_ gateway: GatewayOptions) throws(ToolError) {
    var status: StatusLine?
    let isOn = try wait(seconds: radioSeconds) { () throws(ToolError) in
      let line = try gateway.status()
      status = line
      return line.radio.state == .on
    }
    guard !isOn else { return }
    for problem in status?.problems ?? [] { StandardError.say(shown(problem.sentence)) }
    throw .sentence(
      "the radio does not scan, so there is no device to choose; what was written stays: correct what accessoryctl "
        + "status says, and run accessoryctl setup again", .no)
  }

  /// Waits while the agent brings the radio up, as after its start. Returns whether it did.
  private static func awaitInitialization(_ gateway: GatewayOptions) throws(ToolError) -> Bool {
    var wasRecovering = false
    _ = try wait(seconds: radioSeconds) { () throws(ToolError) in
      guard try gateway.status().radio.state == .recovering else { return true }
      wasRecovering = true
      return false
    }
    return wasRecovering
  }

  /// Returns the device that the operator chooses, or that the command line names, once it is heard; or a network.
  static func choose(
    _ given: NamedDevice?, hasNetworks: Bool, _ gateway: GatewayOptions, _ dialogue: SetupDialogue
  ) throws(ToolError) -> SetupAccessory {
    if let given { return .device(try awaitDevice(given, gateway)) }
    precondition(dialogue.isTerminal, "a device that is missing is refused before")
    // A gateway may look for networks alone.
    if !hasNetworks { try awaitRadio(gateway) }
    StandardError.write("\nHold the accessory near the antenna.\n")
    var mayInitialize = hasNetworks
    while true {
      _ = try wait(seconds: listSeconds)
      if mayInitialize, try awaitInitialization(gateway) { _ = try wait(seconds: listSeconds) }
      mayInitialize = false
      let devices = try inSight(gateway).prefix(shownMax)
      let networks =
        hasNetworks ? try SetupAccessory.networksInSight(gateway).prefix(shownMax) : []
      try show(devices)
      if hasNetworks {
        if devices.isEmpty { try sayRadioProblem(gateway) }
        try show(networks, after: devices.count)
        if networks.isEmpty { try sayWhyNoNetworks(gateway) }
      }
      let question =
        hasNetworks
        ? "Which device or network is the first accessory? A number, an address, network and its name, or nothing to "
          + "look again."
        : "Which device is the first accessory? A number, an address, or nothing to look again."
      let answer = try dialogue.ask(
        question, [], default: "", option: "--device or --network",
        verbatimPrefix: hasNetworks ? networkWord : nil
      ) { answer in
        if !hasNetworks { return nil }
        if network(answer, Array(networks), after: devices.count) != nil { return nil }
        return answer.hasPrefix(networkWord) ? "the name of a network has 1 to 32 bytes" : nil
      }
      if hasNetworks, let network = network(answer, Array(networks), after: devices.count) {
        return .network(network)
      }
      if let number = Int(answer), number >= 1, number <= devices.count,
        let device = devices[number - 1].address.text.flatMap(DeviceArgument.init(argument:))
      {
        return .device(device)
      }
      if let named = NamedDevice(argument: answer), Int(answer) == nil {
        return .device(try awaitDevice(named, gateway))
      }
    }
  }

  private static func show(_ devices: some Collection<DeviceLine>) throws(ToolError) {
    var printer = Printer()
    let indent = "    "
    try printer.text(indent + DeviceLine.textHeader)
    for (number, device) in devices.enumerated() {
      try printer.text("\(number + 1)".paddedLeft(to: 3) + " " + device.text(printer.style))
    }
    try printer.flush()
  }

  private static func show(
    _ networks: some Collection<NetworkLine>, after deviceCount: Int
  ) throws(ToolError) {
    var printer = Printer()
    try printer.text(NetworkLine.textHeader)
    for (number, network) in networks.enumerated() {
      let number = "\(deviceCount + number + 1)".paddedLeft(to: 3)
      try printer.text(number + network.text(printer.style).dropFirst(3))
    }
    try printer.flush()
  }

  private static func sayRadioProblem(_ gateway: GatewayOptions) throws(ToolError) {
    guard try gateway.status().radio.state != .on else { return }
    StandardError.say("the radio does not scan, so no device is listed; accessoryctl status says why")
  }

  private static func sayWhyNoNetworks(_ gateway: GatewayOptions) throws(ToolError) {
    guard try !gateway.sayNetworkProblem() else { return }
    StandardError.say(
      "the kernel knows no network now, and the agent scans only after you choose one: write network and its name"
    )
  }

  /// The network that an answer means: by its number, which follows those of the devices, or by its name.
  private static func network(
    _ answer: String, _ networks: [NetworkLine], after deviceCount: Int
  ) -> NamedNetwork? {
    if answer.hasPrefix(networkWord) {
      return NamedNetwork(argument: String(answer.dropFirst(networkWord.count)))
    }
    guard let number = Int(answer), number > deviceCount, number - deviceCount <= networks.count else {
      return nil
    }
    return NamedNetwork(networks[number - deviceCount - 1].ssid)
  }

  private static func awaitDevice(_ named: NamedDevice, _ gateway: GatewayOptions) throws(ToolError)
    -> DeviceArgument
  {
    try awaitRadio(gateway)
    var found: DeviceArgument?
    let isThere = try wait(seconds: deviceSeconds) { () throws(ToolError) in
      let devices = try inSight(gateway)
      switch named {
      case .address(let device): found = devices.contains { $0.address.bits == device.bits } ? device : nil
      case .name: found = try? named.address(among: devices)
      }
      return found != nil
    }
    if isThere, let found { return found }
    // A name that is none, or that several devices have, has a sentence of its own.
    if case .name = named { return try named.address(among: inSight(gateway)) }
    throw .sentence(
      "\(named.text) was not heard within \(deviceSeconds) s; hold it near the antenna, see accessoryctl sightings --all, "
        + "and run accessoryctl setup again", .no)
  }

  /// The devices with an address, the strongest first.
  private static func inSight(_ gateway: GatewayOptions) throws(ToolError) -> [DeviceLine] {
    return try gateway.devicesInSight().filter { $0.address.text != nil }.sorted(
      by: DeviceLine.areStrongestFirst)
  }

  /// An item that finds the device, after listening to it.
  static func suggestion(
    for device: DeviceArgument, seconds: Int, _ gateway: GatewayOptions
  ) throws(ToolError) -> Suggestion {
    StandardError.say("listening to \(device.text) for \(seconds) s")
    let suggestions = try Listening(seconds: seconds).suggestions(for: device, gateway)
    guard let suggestion = suggestions.first, suggestions.count == 1 else {
      throw .sentence(
        "\(suggestions.count) devices have the address \(device.text); add an item for one of them by hand, see "
          + "accessoryctl suggest", .dataError)
    }
    return suggestion
  }

  /// Asks four times a second until something is so, or the time is over. Returns whether it is.
  private static func wait(
    seconds: Int, until isSo: () throws(ToolError) -> Bool = { false }
  ) throws(ToolError) -> Bool {
    let end = try now().advanced(seconds: seconds)
    while true {
      if try isSo() { return true }
      let time = try now()
      guard time < end else { return false }
      do throws(SystemError) {
        _ = try Polling.wait([], until: time.advanced(nanoseconds: 250_000_000))
      } catch {
        throw .system(error)
      }
    }
  }

  private static func now() throws(ToolError) -> MonotonicInstant {
    do throws(SystemError) { return try .now() } catch { throw .clock(error) }
  }
}
