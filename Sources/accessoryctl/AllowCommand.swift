// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import Manifest
import ToolText

struct AllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Let a device that was removed be set up again by touch or automatically.",
    discussion: """
      Names a device by its address, or all devices that were removed from an item. \
      registry show lists them. Exit status: 0 the device is allowed again, 1 it was not removed.

      Examples:
        accessoryctl allow lights C4:A1:00:00:1E:27
        accessoryctl allow lights bulb
      """)

  @Argument(help: "The app it was removed from.", completion: Completions.apps)
  var app: String

  @Argument(
    help: ArgumentHelp("Addresses of devices, names of networks, or ids of items.", valueName: "device"),
    completion: Completions.removed)
  var devices: [String]

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object per device (Config/schema/allow.schema.json).")
  var json = false

  func run() throws {
    let removed = try removed()
    var allowed: [String] = []
    for name in devices { allowed += try Self.devices(name, removed, app).filter { !allowed.contains($0) } }
    var printer = Printer()
    for device in allowed {
      try gateway.callOnce(OperatorMethodName.allow, within: OperatorMethodName.allow.patienceSeconds) {
        json in
        json.member("app", app)
        json.member("device", device)
      } _: { _ in
      }
      try print(device, items: removed.filter { $0.device == device }.map(\.item), &printer)
    }
  }

  private func print(_ device: String, items: [String], _ printer: inout Printer) throws(ToolError) {
    if json {
      try printer.lines { writer in
        writer.line { json in
          json.member("app", app)
          json.member("device", device)
          json.member("items", items)
        }
      }
    } else {
      for item in items.isEmpty ? [""] : items.map({ "/" + shown($0) }) {
        try printer.text("allowed again: \(shown(device)) for \(shown(app))\(item)\n")
      }
    }
    try printer.flush()
  }

  private func removed() throws(ToolError) -> [RegistryLine.Removed] {
    let lines = try gateway.registry()
    for line in lines where line.state == .degraded { throw .registryUnavailable(line.sentence) }
    let removed = lines.compactMap(\.removed).filter { $0.app == app }
    guard removed.isEmpty else { return removed }
    // The agent reports an app that the manifest does not have.
    _ = try gateway.accessories(ofApp: app)
    throw .sentence("nothing was removed from \(quoted(app)); accessoryctl list shows what it has", .no)
  }

  /// The devices that one argument names. The agent checks whether an address was removed, because it may know the
  /// device by another address.
  private static func devices(
    _ name: String, _ removed: [RegistryLine.Removed], _ app: String
  ) throws(ToolError) -> [String] {
    if let bits = AddressText.bitsInAnySpelling(name) { return [AddressText.text(of: bits)] }
    let meant = removed.filter { $0.item == name || $0.device == name }.map(\.device)
    guard meant.isEmpty else { return meant }
    throw .unknown(
      name, "nothing of \(quoted(app)) called \(quoted(name)) was removed",
      known: Set(removed.flatMap { [$0.item, $0.device] }).sorted())
  }
}

extension GatewayOptions {
  /// The state of the registry, the removed devices, the bonds to remove, and the former identifiers.
  func registry() throws(ToolError) -> [RegistryLine] {
    try callForList(OperatorMethodName.registry) { line throws(JSONMemberError) in
      let line = try RegistryLine(reading: line)
      return line == RegistryLine() ? nil : line
    }
  }
}
