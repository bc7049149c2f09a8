// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import PickerScreen
import ToolText

/// What to set up on an app's behalf, and how to choose it: the parameters of `Open`.
struct PickOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Set up an accessory on this app's behalf.", valueName: "name"),
    completion: Completions.apps)
  var app: String?

  @Option(
    help: ArgumentHelp(
      "Answer this open request: its identifier, or the beginning that accessoryctl status prints.",
      valueName: "id"))
  var request: String?

  @Option(
    help: ArgumentHelp(
      "With --request: the candidate's number as pick --json prints it, the address of a device, or the name of a network.",
      valueName: "candidate"))
  var choose: ChosenCandidate?

  @Flag
  var decision: RequestDecision?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Look for this item of the app only; may be repeated.", valueName: "id"),
    completion: Completions.items)
  var item: [String] = []

  @Flag(help: "Choose an accessory that is held at the gateway.")
  var touch = false

  @Flag(help: "Choose the first device that is held at the gateway, of items with an immediate range.")
  var firstImmediate = false

  @Option(
    help: ArgumentHelp(
      "Choose the device with this address, or with this name of its own, as soon as it is found.",
      valueName: "device"), completion: Completions.devices)
  var device: NamedDevice?

  @Option(
    help: ArgumentHelp(
      "Choose the network with this name, as sightings --networks shows it, as soon as it is found.",
      valueName: "ssid"))
  var network: NamedNetwork?

  @Option(
    help: ArgumentHelp(
      "End after this many accessories, 1 to \(OperatorInterface.setupCountMax). (default: 1)", valueName: "n"
    ))
  var count: Int?

  @Option(
    help: ArgumentHelp(
      """
      The accessory's name, for every app that has the device. With --request and without --choose: the name that the \
      request asks for.
      """, valueName: "name"))
  var name: String?

  @Flag(
    help: """
      Digits of a pairing can be read and typed here, although there is no terminal; see answer.
      """)
  var digits = false

  @Option(
    help: ArgumentHelp(
      """
      How long to wait for a device, or without a screen for a choice: \
      short, medium, long, unbounded, or \(Self.secondsRange.lowerBound) to \
      \(Self.secondsRange.upperBound) seconds. (default: 30; with --request and --choose, until the request ends)
      """,
      valueName: "time"))
  var timeout: String?

  private static let secondsRange = DiscoveryTimeout.secondsRange

  /// Whether the choice needs no operator at the screen.
  var isScripted: Bool {
    touch || firstImmediate || device != nil || network != nil || count != nil
  }

  /// What a request without a screen waits for, as a sentence for the operator.
  var awaited: String {
    if let device { return "looking for \(device.text)" }
    if let network { return "looking for the network \(network.text)" }
    return touch || firstImmediate
      ? "hold the accessory at the gateway" : "choose the accessory with accessoryctl pick"
  }

  /// The answer to the request; nil unless exactly one was given.
  var requestAnswer: RequestAnswer? {
    switch (choose, decision, name) {
    case (let choice?, nil, _): .choose(choice, name: name)
    case (nil, let decision?, nil): .decide(decision)
    case (nil, nil, let name?): .name(name)
    case _: nil
    }
  }

  func validate() throws {
    if let timeout, DiscoveryTimeout(text: timeout) == nil {
      let range = Self.secondsRange
      throw ValidationError(
        "--timeout takes short, medium, long, unbounded, or \(range.lowerBound) to \(range.upperBound) seconds"
      )
    }
    guard app != nil else {
      let given = [
        item.isEmpty ? nil : "--item", touch ? "--touch" : nil, firstImmediate ? "--first-immediate" : nil,
        device == nil ? nil : "--device", network == nil ? nil : "--network", count == nil ? nil : "--count",
        name == nil || request != nil ? nil : "--name",
        timeout == nil || choose != nil ? nil : "--timeout",
      ]
      if (request == nil) != (requestAnswer == nil), request != nil || choose != nil || decision != nil {
        throw ValidationError(
          "--request goes together with one of --choose, --name, --agree, --deny and --cancel: which request, and "
            + "its answer")
      }
      guard let option = given.compactMap(\.self).first else { return try requireName() }
      throw ValidationError("\(option) is for a request on an app's behalf: name the app with --app")
    }
    if [touch, firstImmediate, device != nil, network != nil].count(where: \.self) > 1 {
      throw ValidationError("--touch, --first-immediate, --device and --network exclude each other")
    }
    if let count, !(1...OperatorInterface.setupCountMax).contains(count) {
      throw ValidationError("--count takes 1 to \(OperatorInterface.setupCountMax)")
    }
    if device != nil, count ?? 1 > 1 { throw ValidationError("--device names one device; leave out --count") }
    if network != nil, count ?? 1 > 1 {
      throw ValidationError("--network names one network; leave out --count")
    }
    if request != nil || choose != nil || decision != nil {
      throw ValidationError(
        "--request is about a request that is open, and --app opens one: leave one of them out")
    }
    if name != nil, count ?? 1 > 1 { throw ValidationError("--name is for one accessory; leave out --count") }
    try requireName()
  }

  private func requireName() throws {
    guard let name else { return }
    if name.utf8.isEmpty || name.utf8.count > PickerModel.nameBytesMax {
      throw ValidationError("--name takes 1 to \(PickerModel.nameBytesMax) bytes")
    }
  }

  /// The request on an app's behalf.
  func opening(app: String) -> RequestOpening {
    let parameters = OpenParameters(
      app: app, items: item.isEmpty ? nil : item, usesTouch: touch, takesFirstImmediate: firstImmediate,
      device: device?.text, network: network?.ssid, count: count, discoveryTimeout: timeout)
    return RequestOpening(
      app: app, name: name, awaited: awaited, items: item, network: network?.ssid, isAnswered: digits
    ) { parameters.writeMembers(to: &$0) }
  }
}

/// A network as the operator names it: as `sightings --networks` prints the name between its quotes, with `\xFF` for a byte
/// and `\u{1B}` for a character that is not shown.
struct NamedNetwork: ExpressibleByArgument {
  /// 1 to 32 bytes.
  let ssid: AirText

  private static let bytesMax = 32

  init?(argument: String) {
    self.init(AirText(escaped: argument))
  }

  init?(_ ssid: AirText) {
    guard (1...Self.bytesMax).contains(ssid.bytes.count) else { return nil }
    self.ssid = ssid
  }

  /// As it is typed.
  var argument: String { ssid.escaped(columnsMax: 8 * Self.bytesMax) }

  /// For error messages.
  var text: String { ssid.terminal(columnsMax: AirText.columnsMax) }
}
