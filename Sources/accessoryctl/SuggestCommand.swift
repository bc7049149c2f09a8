// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import ArgumentParser
import HCI
import Interfaces
import JSON
import ToolText

struct SuggestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest",
    abstract: "Print a manifest with an item that finds a device like this one.",
    usage: """
      accessoryctl suggest <device> [--seconds <n>] [options]
      accessoryctl suggest <device> --capture <file> [--json]
      """,
    discussion: """
      Examines everything the device advertised: the company or service it names, and the \
      bytes that never changed. Listens for some seconds through the agent, or reads a \
      capture; a longer time gives a better item. Exit status: 0 an item is printed, \
      1 the device was not heard, or nothing distinguishes it.

      Examples:
        accessoryctl suggest AA:BB:CC:DD:EE:FF --seconds 20
        accessoryctl suggest AA:BB:CC:DD:EE:FF --capture room.btsnoop > new-item.toml
      """)

  @Argument(help: "The device's address, as decode and sightings show it.")
  var device: DeviceArgument

  @Option(
    help: ArgumentHelp("Read this btsnoop file instead of asking the agent.", valueName: "file"),
    completion: .file())
  var capture: String?

  @Option(help: ArgumentHelp("How long the agent listens, 1 to 60. (default: 5)", valueName: "n"))
  var seconds: Int?

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object (Config/schema/suggest.schema.json).")
  var json = false

  func validate() throws {
    if let seconds, !(1...60).contains(seconds) { throw ValidationError("--seconds takes 1 to 60") }
    guard capture != nil else { return }
    if seconds != nil { throw ValidationError("--seconds is for the agent; a capture has its own length") }
    if gateway.socket != nil { throw ValidationError("--capture and --socket exclude each other") }
  }

  func run() throws {
    guard let capture else { return try runLive() }
    let file = try CaptureFile(reading: capture)
    var sources: [SuggestionSource] = []
    let ending = Result { () throws(ToolError) in
      try file.decode { report in
        guard report.header.address.bits == device.bits, report.header.address.type != .anonymous else {
          return
        }
        let index = sources.firstIndex { $0.covers(report) } ?? sources.count
        if index == sources.count { sources.append(SuggestionSource(for: report)) }
        sources[index].addReport(report)
      }
    }
    try show(sources)
    try ending.get()
  }

  private func show(_ sources: [SuggestionSource]) throws(ToolError) {
    guard !sources.isEmpty else {
      throw .sentence("\(device.text) is not in the capture; accessoryctl sightings --all lists what is", .no)
    }
    let suggestions = Suggestion.all(of: sources)
    guard !suggestions.isEmpty else {
      throw .sentence("\(device.text) names neither a company nor a service; no item can find it", .no)
    }
    try show(suggestions.map(SuggestionLine.init))
  }

  private func runLive() throws(ToolError) {
    let patience = GatewayConnection.patienceSeconds + (seconds ?? 5)
    let call = GatewayCall(device: device.text, seconds: seconds)
    let suggestions = try gateway.callForList(GatewayMethodName.suggest, within: patience, call.write) {
      line throws(JSONMemberError) in
      try line.objectIfPresent("suggestion").map { line throws(JSONMemberError) in
        try SuggestionLine(reading: line)
      }
    }
    try show(suggestions)
  }

  private func show(_ suggestions: [SuggestionLine]) throws(ToolError) {
    var printer = Printer()
    for suggestion in suggestions {
      if json { try printer.line(suggestion) } else { try printer.text(suggestion.toml) }
    }
    try printer.flush()
  }
}
