// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import JSON
import ToolText

struct RenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give an accessory another name.",
    discussion: """
      The name belongs to the device: every app that has the device gets it. Exit status: \
      0 it has the new name, 1 there is no such accessory, or several.

      Examples:
        accessoryctl rename "Lumo bulb" "Desk lamp"
        accessoryctl rename 4f1c "Desk lamp"
        accessoryctl rename C4:A1:00:00:1E:27 --app lights "Desk lamp"
      """)

  @OptionGroup var options: AccessoryOptions

  @Argument(help: "The new name.")
  var name: String

  @Flag(help: "One JSON object (Config/schema/rename.schema.json).")
  var json = false

  func run() throws {
    let (accessory, all) = try options.resolve(asDevice: true)
    try options.gateway.callOnce(OperatorMethodName.rename, within: OperatorMethodName.rename.patienceSeconds)
    {
      json in
      json.member("accessory", accessory.identifier)
      json.member("name", name)
    } _: { _ in
    }
    var printer = Printer()
    if json {
      try printer.lines { writer in
        writer.line { json in
          json.member("accessory", accessory.identifier)
          json.member("app", accessory.app)
          json.member("displayName", name)
          json.member("previousName", accessory.displayName)
          json.member("otherApps", accessory.otherAppNames(among: all))
        }
      }
    } else {
      let others = accessory.otherApps(among: all)
      let too = others.isEmpty ? "" : ", for \(others) too"
      try printer.text("renamed \(quoted(accessory.displayName)) to \(quoted(name))\(too)\n")
    }
    try printer.flush()
  }
}

extension AccessoryLine {
  /// The apps that have the same device, as text; empty when there are none.
  func otherApps(among all: [AccessoryLine]) -> String {
    otherAppNames(among: all).map(shown).joined(separator: " and ")
  }

  func otherAppNames(among all: [AccessoryLine]) -> [String] {
    let others = all.filter { $0.identifier != identifier && isDevice(of: $0) }
    return Set(others.map(\.app)).sorted()
  }

  /// Whether both accessories are on one device. Without an address, the network identifies the device.
  func isDevice(of other: AccessoryLine) -> Bool {
    address != nil ? other.address == address : other.address == nil && ssid != nil && other.ssid == ssid
  }
}
