// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import BlueZ
import HCI
import Interfaces
import LinuxSystem
import ToolText

struct MigrateCommand: ParsableCommand {
  private static let installed = "/etc/accessoryd/accessoryd.toml"

  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "List the devices that BlueZ knows, and the apps that would take them.",
    discussion: """
      Asks bluetoothd over the system bus, or reads its folder of stored devices when it does not \
      run; only root may read the folder. An item takes a device when its descriptor holds for what \
      BlueZ knows of it. It may take one of which BlueZ does not know enough. An app that brings its \
      own items may take a device when it declares the device's service, company or name. \
      Changes nothing: the app asks to migrate the device, with the identifier that stands below it, \
      and an operator agrees in accessoryctl pick. \
      Exit status: 0 BlueZ knows devices, 1 it knows none.

      Examples:
        accessoryctl migrate
        accessoryctl migrate --bluetooth-folder /mnt/old/var/lib/bluetooth
        accessoryctl migrate --json | jq -r '.bluetoothIdentifier // empty'
      """)

  @Option(
    help: ArgumentHelp("The manifest with the apps. (default: \(installed))", valueName: "file"),
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
    let manifest = try ConfigurationFile(reading: manifest ?? Self.installed).manifest()
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
      let line = MigrationLine(device, manifest, isAmbiguous: isAmbiguous)
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
