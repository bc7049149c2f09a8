// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import ArgumentParser
import Interfaces
import JSON
import ToolText

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why a device does or does not match, clause by clause.",
    usage: """
      accessoryctl explain <device> [options]
      accessoryctl explain <device> --capture <file> [--manifest <file>] […]
      """,
    discussion: """
      Shows for every item of the manifest each clause, the value it requires, what the \
      device advertises instead, and the first difference; then the device's level and \
      the gate's decision. Asks the agent, or reads a capture. Exit status: 0 an item \
      has found the device, 1 none has, or it was not heard.

      Examples:
        accessoryctl explain AA:BB:CC:DD:EE:FF
        accessoryctl explain AA:BB:CC:DD:EE:FF --capture room.btsnoop \\
          --manifest accessoryd.toml
      """)

  @Argument(help: "The device's address, as decode and sightings show it.")
  var device: DeviceArgument

  @OptionGroup var source: LookSource

  @Flag(help: "One JSON object per item (Config/schema/explain.schema.json).")
  var json = false

  func validate() throws { try source.requireManifest() }

  func run() throws {
    guard let capture = source.capture else { return try runLive() }
    try source.replay(capture) { dataPath throws(ToolError) in
      let devices = dataPath.devices(at: device.bits)
      guard !devices.isEmpty else {
        throw .sentence("\(device.text) is not in sight; accessoryctl sightings --all lists what is", .no)
      }
      var show = Show(json: json)
      for view in devices {
        try show.device(DeviceLine(view))
        for explanation in dataPath.explanations(of: view) { try show.explanation(explanation) }
      }
      return try show.end()
    }
  }

  private func runLive() throws(ToolError) {
    let call = GatewayCall(device: device.text)
    let parts = try source.gateway.callForList(GatewayMethodName.explain, call.write, Part.init(reading:))
    var show = Show(json: json)
    for part in parts {
      switch part {
      case .device(let device): try show.device(device)
      case .explanation(let explanation): try show.explanation(explanation)
      }
    }
    try show.end().throwUnlessSuccess()
  }
}

extension ExplainCommand {
  /// An element of the agent's reply.
  private enum Part {
    case device(DeviceLine)
    case explanation(ItemExplanation)

    init?(reading line: JSONObjectReader) throws(JSONMemberError) {
      if let device = try line.objectIfPresent("device") {
        self = .device(try DeviceLine(reading: device))
      } else if let explanation = try line.objectIfPresent("explanation") {
        self = .explanation(try ItemExplanation(reading: explanation))
      } else {
        return nil
      }
    }
  }

  private struct Show: ~Copyable {
    private var printer = Printer()
    private var isFound = false
    private let json: Bool

    init(json: Bool) { self.json = json }

    /// Above the explanations of a device.
    mutating func device(_ device: DeviceLine) throws(ToolError) {
      if !json { try printer.text(DeviceLine.textHeader + device.text(printer.style)) }
    }

    mutating func explanation(_ explanation: ItemExplanation) throws(ToolError) {
      isFound = isFound || explanation.isFound
      if json { try printer.line(explanation) } else { try printer.text(explanation.text(printer.style)) }
    }

    mutating func end() throws(ToolError) -> ExitStatus {
      try printer.flush()
      return isFound ? .success : .no
    }
  }
}
