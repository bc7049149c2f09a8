// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import BlueZ
import HCI
import Interfaces
import JSON
import LinuxSystem
import Manifest
import ToolText

struct MigrateCommand: ParsableCommand {
  private static let installed = "/etc/accessoryd/accessoryd.toml"

  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "List the devices that BlueZ knows, and the items of apps that would take them.",
    discussion: """
      Asks bluetoothd over the system bus, or reads its folder of stored devices when it does not \
      run; only root may read the folder. An item takes a device when its descriptor holds for what \
      BlueZ knows of it. It may take one of which BlueZ does not know enough. \
      Changes nothing: the app asks to migrate the device, with the identifier that stands beside it, \
      and an operator agrees in accessoryctl pick. \
      Exit status: 0 BlueZ knows devices, 1 it knows none.

      Examples:
        accessoryctl migrate
        accessoryctl migrate --bluetooth-folder /mnt/old/var/lib/bluetooth
        accessoryctl migrate --json | jq -r 'select(.items | length > 0).bluetoothIdentifier'
      """)

  @Option(
    help: ArgumentHelp("The manifest with the items. (default: \(installed))", valueName: "file"),
    completion: .file())
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "Read this folder of stored devices instead of asking bluetoothd.", valueName: "folder"),
    completion: .directory)
  var bluetoothFolder: String?

  @Flag(help: "One JSON object per device (Config/schema/migrate.schema.json).")
  var json = false

  func run() throws {
    let items = try ConfigurationFile(reading: manifest ?? Self.installed).manifest().items
    let source = bluetoothFolder.map { KnownDeviceSource(bus: nil, folder: $0) } ?? KnownDeviceSource()
    let devices: [KnownDevice]
    do throws(KnownDeviceError) { devices = try source.read() } catch {
      throw Self.toolError(error)
    }
    guard !devices.isEmpty else {
      throw ToolError.sentence(
        bluetoothFolder.map { Self.noDevices(in: $0) } ?? "BlueZ knows no device with Bluetooth Low Energy",
        .no)
    }
    var printer = Printer()
    for device in devices {
      let isAmbiguous = devices.contains {
        $0.address.bits == device.address.bits && $0.address != device.address
      }
      let line = MigrationLine(device, items: items, isAmbiguous: isAmbiguous)
      if json { try printer.line(line) } else { try printer.text(line.text) }
    }
    try printer.flush()
  }

  private static func toolError(_ error: KnownDeviceError) -> ToolError {
    let cure =
      switch (error.bus, error.folder.isPermission) {
      case (nil, true): "run it as root"
      case (nil, false): "name a copy of bluetoothd's folder \(KnownDeviceSource.systemFolder)"
      case (_?, true): "run it as root, or start bluetoothd"
      case (_?, false): "start bluetoothd, or name its folder with --bluetooth-folder"
      }
    let beginning = error.bus == nil ? "" : "the devices that BlueZ knows cannot be read: "
    return .sentence(
      "\(beginning)\(error.reason); \(cure)",
      error.folder.isPermission ? .noPermission : .noInput)
  }

  private static func noDevices(in folder: String) -> String {
    "\(quoted(folder)) has no device with Bluetooth Low Energy; name a folder as bluetoothd keeps it in "
      + "\(KnownDeviceSource.systemFolder), with a folder for each adapter"
  }
}

/// A device that BlueZ knows: a line of `migrate --json`.
struct MigrationLine: Line {
  let device: KnownDevice
  let address: String
  let takers: [(app: String, item: String, match: KnownDevice.Match)]
  /// BlueZ knows a public and a random device with this address.
  let isAmbiguous: Bool

  init(_ device: KnownDevice, items: [ManifestItem], isAmbiguous: Bool) {
    self.device = device
    self.isAmbiguous = isAmbiguous
    address = AddressText.text(of: device.address.bits)
    // An item that only observes sets nothing up.
    let candidates = isAmbiguous ? [] : items.filter { $0.item.selection != .observe }
    takers = candidates.compactMap { item in
      let match = device.match(item.item.descriptor)
      return match == .fails ? nil : (item.app, item.item.id, match)
    }
  }

  /// What an app gives as `peripheralIdentifier`; nil when it cannot name the device.
  private var identifier: String? {
    isAmbiguous
      ? nil : "00000000-0000-0000-0000-" + HexText.digits(device.address.bits, count: 12).uppercased()
  }

  private var type: String { device.address.type == .public ? "public" : "random" }

  func writeMembers(to json: inout JSONWriter) {
    json.member("address", address)
    json.member("addressType", type)
    json.member("name", device.name)
    json.member("isPaired", device.isPaired)
    json.member("isAmbiguous", isAmbiguous)
    json.member("bluetoothIdentifier", identifier)
    json.objects("items", takers.map { TakerLine(app: $0.app, item: $0.item, isCertain: $0.match == .holds) })
  }

  var text: String {
    let name = device.name.map { " " + AirText(Array($0.utf8)).terminal(columnsMax: 64) } ?? ""
    var text = "\(address) \(type)\(device.isPaired ? " paired" : "")\(name)\n"
    guard let identifier else {
      return text
        + "  it cannot be migrated: BlueZ knows a public and a random device with this address; remove "
        + "the wrong one with bluetoothctl remove\n"
    }
    for taker in takers {
      let path = AirText(Array("\(taker.app)/\(taker.item)".utf8)).escaped()
      text += "  \(path) \(taker.match == .holds ? "takes it as" : "may take it as") \(identifier)\n"
    }
    if takers.isEmpty { text += "  no item takes it\n" }
    return text
  }
}

private struct TakerLine: Line {
  let app: String
  let item: String
  let isCertain: Bool

  func writeMembers(to json: inout JSONWriter) {
    json.member("app", app)
    json.member("item", item)
    json.member("isCertain", isCertain)
  }
}
