// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import JSON
import ToolText

struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take an accessory from its app.",
    discussion: """
      Says what will happen and asks. The bond is deleted with the device's last app. \
      The device is not set up again by touch or automatically until you allow it; an \
      operator may choose it at any time. Exit status: 0 it is removed, 1 there is no such \
      accessory, or several, or the answer was no.

      Examples:
        accessoryctl remove "Desk lamp"
        accessoryctl remove 4f1c --yes
      """)

  @OptionGroup var options: AccessoryOptions

  @Flag(help: "Do not ask.")
  var yes = false

  @Flag(help: "One JSON object (Config/schema/remove.schema.json).")
  var json = false

  func run() throws {
    let (accessory, all) = try options.resolve()
    if !yes { try Confirmation.ask(what(accessory, all)) }
    try options.gateway.callOnce(OperatorMethodName.remove, within: OperatorMethodName.remove.patienceSeconds)
    {
      json in
      json.member("accessory", accessory.identifier)
    } _: { _ in
    }
    var printer = Printer(keepsNull: true)
    if json {
      try printer.lines { writer in
        writer.line { json in
          json.member("accessory", accessory.identifier)
          json.member("app", accessory.app)
          json.member("item", accessory.item)
          json.member("displayName", accessory.displayName)
          json.members(accessory.address)
          json.member("otherApps", accessory.otherAppNames(among: all))
        }
      }
    } else {
      try printer.text("removed \(description(accessory, all))\n")
    }
    try printer.flush()
  }

  private func what(_ accessory: AccessoryLine, _ all: [AccessoryLine]) -> String {
    let app = shown(accessory.app)
    let others = accessory.otherApps(among: all)
    var sentences = ["\(app) loses \(description(accessory, all))."]
    if !others.isEmpty {
      sentences.append("The device stays with \(others), and so does its bond.")
    } else if accessory.bond != .none {
      sentences.append("No other app has the device: its bond goes too.")
    }
    if accessory.item != nil {
      let device = accessory.address?.text ?? "DEVICE"
      sentences.append(
        "It is not set up again by touch or automatically until accessoryctl allow \(app) \(device).")
    }
    return sentences.joined(separator: "\n")
  }

  private func description(_ accessory: AccessoryLine, _ all: [AccessoryLine]) -> String {
    let place = all.firstIndex { $0.identifier == accessory.identifier }
    return accessory.description(identifier: place.map { all.shortIdentifiers[$0] } ?? "")
  }
}
