// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Explanation
import HCI
import Interfaces
import JSON
import LinuxSystem
import Manifest
import ManifestEdits
import Suggestions
import ToolText

struct SuggestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest",
    abstract: "Print an item that finds a device like this one, or the section of an app.",
    usage: """
      accessoryctl suggest <device> [--seconds <n>] [options]
      accessoryctl suggest <device> --app <name> [--user <account>] [--add] […]
      accessoryctl suggest <device> --capture <file> [--json]
      accessoryctl suggest [<device>] --hex <line> … [--app <name>] [--add]
      accessoryctl suggest --plist <file> --app <name> [--add] [options]
      """,
    discussion: """
      Knows the layouts of BTHome, iBeacon, AltBeacon, Eddystone, Fast Pair, Ruuvi, SwitchBot, \
      Govee, Xiaomi MiBeacon and Shelly: for these the item asks for the type of the frame and the \
      model, never for readings. For any other device it asks for the shortest clause that tells \
      devices of this kind from everything else in sight. It asks for nothing that changed in a report, \
      and for no part of the device's own address; it prefers the advertisement to the scan response, \
      and says which other devices in sight the item finds. Listens for some seconds through the agent, \
      or reads a capture; 20 reports or more give a good item, and fewer than three different ones a guess.

      With --app, prints what the manifest needs in addition, as a difference. With --add, also \
      changes the manifest, unless the result would not pass accessoryctl check. An app that the \
      manifest does not have is added with the account that --user or --group names, or else with one \
      of its own name; as root, an account that does not exist is created.

      With --plist, prints the section of an app that its Info.plist declares for AccessorySetupKit; \
      an XML or a binary property list. \
      Exit status: 0 an item or a section is printed, 1 the device was not heard, or nothing \
      distinguishes it, or the Info.plist declares nothing.

      Examples:
        accessoryctl suggest AA:BB:CC:DD:EE:FF --seconds 20
        accessoryctl suggest AA:BB:CC:DD:EE:FF --app lights --add
        accessoryctl suggest AA:BB:CC:DD:EE:FF --capture room.btsnoop > new-item.toml
        accessoryctl suggest --hex 02010607ffee0ea55a0110
        accessoryctl suggest --plist Info.plist --app lights --add
      """)

  @Argument(
    help: """
      The device's address, or its own name, as sightings shows it; the name of an accessory, or the beginning of its \
      identifier.
      """, completion: Completions.devices)
  var device: NamedDevice?

  @Option(
    help: ArgumentHelp("Print the section of the app with this Info.plist.", valueName: "file"),
    completion: .file())
  var plist: String?

  @Option(
    help: ArgumentHelp("Read this btsnoop file instead of asking the agent.", valueName: "file"),
    completion: .file())
  var capture: String?

  @OptionGroup var hex: HexOptions

  @Option(help: ArgumentHelp("How long the agent listens, 1 to 60. (default: 5)", valueName: "n"))
  var seconds: Int?

  @OptionGroup var edit: ManifestEditOptions

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object (Config/schema/suggest.schema.json).")
  var json = false

  func validate() throws {
    guard plist == nil else { return try validatePropertyList() }
    guard device != nil || hex.input != nil else {
      throw ValidationError(
        "a device is missing: give its address or its name, lines of it with --hex, or --plist and --app")
    }
    if let seconds { try Self.validate(seconds: seconds) }
    if json, edit.app != nil { throw ValidationError("--json and --app exclude each other") }
    if capture != nil, hex.input != nil { throw ValidationError("--capture and --hex exclude each other") }
    guard let input else { return }
    if seconds != nil { throw ValidationError("--seconds is for the agent; a capture has its own length") }
    if gateway.socket != nil { throw ValidationError("\(input.option) and --socket exclude each other") }
  }

  /// Checks how long the agent is to listen to a device.
  static func validate(seconds: Int) throws {
    guard (1...60).contains(seconds) else { throw ValidationError("--seconds takes 1 to 60") }
  }

  /// Nil when the agent is asked.
  private var input: CaptureInput? { hex.input ?? capture.map(CaptureInput.file) }

  private func validatePropertyList() throws {
    guard edit.app != nil else { throw ValidationError("--plist needs --app: name the app") }
    let excluded: [(String, Bool)] = [
      ("a device", device != nil), ("--capture", capture != nil), ("--hex", hex.input != nil),
      ("--seconds", seconds != nil),
      ("--socket", gateway.socket != nil), ("--json", json), ("--user", edit.account.user != nil),
      ("--group", edit.account.group != nil),
    ]
    if let other = excluded.first(where: \.1) {
      throw ValidationError("--plist and \(other.0) exclude each other")
    }
  }

  func run() throws {
    if let plist, let app = edit.app {
      return try edit.apply(section: try InfoPropertyList(reading: plist).section(named: app), ofApp: app)
    }
    guard let input = try input?.read() else {
      guard let device else { preconditionFailure("validated: there is a device") }
      return try runLive(try device.address(askedOf: gateway))
    }
    let device = try input.address(of: device, ManifestDataPath(GatewayManifest()))
    let file = try input.open()
    var sources = SuggestionSources(ofDevice: device.bits)
    let ending = Result { () throws(ToolError) in try file.decode { sources.addReport($0) } }
    if case .failure(let error) = ending { try error.warn(hasResult: !sources.device.isEmpty) }
    guard !sources.device.isEmpty else { throw input.absence(of: device.text) }
    try show(try Listening.suggestions(sources, for: device))
  }

  private func runLive(_ device: DeviceArgument) throws(ToolError) {
    var (line, progress) = (ProgressLine(), ReadingProgress(gateway))
    var end: MonotonicInstant?
    defer { line.clear() }
    let suggestions = try Listening(seconds: seconds ?? 5).suggestions(for: device, gateway) {
      deadline, now in
      guard let next = line.next(after: now) else { return nil }
      // Each reply moves the deadline.
      end = end ?? deadline.advanced(seconds: -GatewayConnection.patienceSeconds)
      line.show(progress.parts(ofDevice: device.bits), left: end, at: now)
      return next
    }
    line.clear()
    try show(suggestions)
  }

  private func show(_ suggestions: [Suggestion]) throws(ToolError) {
    if let app = edit.app {
      sayWarnings(of: suggestions)
      return try edit.apply(suggestions, to: app)
    }
    var printer = Printer()
    // On a terminal they stand among the item's comments.
    if !json, !printer.isTerminal { sayWarnings(of: suggestions) }
    for suggestion in suggestions {
      if json { try printer.line(suggestion) } else { try printer.manifest(suggestion.item.manifest) }
    }
    try printer.flush()
  }

  private func sayWarnings(of suggestions: [Suggestion]) {
    for line in suggestions { line.sayWarnings() }
  }
}

extension Suggestion {
  func sayWarnings() {
    for warning in warnings {
      StandardError.say("warning: \(AirText(Array(warning.utf8)).sentence(columnsMax: 400))")
    }
  }
}
