// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import ArgumentParser
import HCI
import Rendering

struct SuggestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest",
    abstract: "Print a manifest with an item that finds a device like this one.",
    discussion: """
      Looks at everything the device advertised: which company or service it names, and \
      which of the bytes behind it never changed. The longer the capture, the better. \
      Exit status: 0 here is an item, 1 the device was not heard or cannot be told apart.

      Example:
        accessoryctl suggest AA:BB:CC:DD:EE:FF --capture room.btsnoop > new-item.toml
      """)

  @Argument(help: "The device's address, as decode and sightings show it.")
  var device: DeviceArgument

  @Option(help: ArgumentHelp("Look into this btsnoop file.", valueName: "file"))
  var capture: String

  @Flag(help: "One JSON object (Config/schema/suggest.schema.json).")
  var json = false

  func run() throws {
    let file = try CaptureFile(reading: capture)
    var sources: [SuggestionSource] = []
    let ending = Result { () throws(Failure) in
      try file.decode { report in
        guard report.header.address.bits == device.bits, report.header.address.type != .anonymous else {
          return
        }
        let index = sources.firstIndex { $0.covers(report) } ?? sources.count
        if index == sources.count { sources.append(SuggestionSource(for: report)) }
        sources[index].take(report)
      }
    }
    try show(sources)
    try ending.get()
  }

  private func show(_ sources: [SuggestionSource]) throws(Failure) {
    guard !sources.isEmpty else {
      throw .sentence("\(device.text) is not in the capture; accessoryctl sightings --all lists what is", .no)
    }
    let suggestions = Suggestion.all(of: sources)
    guard !suggestions.isEmpty else {
      throw .sentence("\(device.text) names neither a company nor a service; no item can find it", .no)
    }
    var printer = Printer()
    for suggestion in suggestions {
      if json {
        try printer.lines { suggestion.write(to: &$0) }
      } else {
        try printer.text(suggestion.toml)
      }
    }
    try printer.flush()
  }
}
