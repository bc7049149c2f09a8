// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import BlueZ
import HCI
import Interfaces
import KnownNetworks
import LinuxSystem
import Manifest
import ToolText

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "List the devices that BlueZ knows, the known networks, and the apps that would take them.",
    discussion: """
      Asks bluetoothd over the system bus, or reads its folder of stored devices when it does not \
      run; only root may read the folder. An item takes a device when its descriptor holds for what \
      BlueZ knows of it. It may take one of which BlueZ does not know enough. An app that brings its \
      own items may take a device when it declares the device's service, company or name. \
      Run as root, also lists the networks in the stores of NetworkManager, wpa_supplicant and iwd \
      that an item looks for, by name; keys are not read. \
      Changes nothing: the app asks to migrate the device, with the identifier that stands below it, \
      or the network by its name, and an operator agrees in accessoryctl pick. \
      Exit status: 0 something is known, 1 nothing is.

      Examples:
        accessoryctl migrate
        accessoryctl migrate --bluetooth-folder /mnt/old/var/lib/bluetooth
        accessoryctl migrate --network-root /mnt/old
        accessoryctl migrate --json | jq -r '.bluetoothIdentifier // empty'
      """)

  @OptionGroup var manifest: ManifestOption

  @Option(
    help: ArgumentHelp(
      "Read this folder of stored devices instead of asking bluetoothd.", valueName: "folder"),
    completion: .directory)
  var bluetoothFolder: String?

  @Option(
    help: ArgumentHelp(
      "Read the stores of networks below this folder instead of the machine's.", valueName: "folder"),
    completion: .directory)
  var networkRoot: String?

  @Flag(help: "One JSON object per device or network (Config/schema/migrate.schema.json).")
  var json = false

  func run() throws {
    let manifest = try ConfigurationFile(reading: manifest.path).manifest()
    let source = bluetoothFolder.map { KnownDeviceSource(bus: nil, folder: $0) } ?? KnownDeviceSource()
    let networks = networkLines(manifest)
    var devices: [KnownDevice] = []
    do throws(KnownDeviceError) { devices = try source.read() } catch {
      guard !networks.isEmpty else { throw Self.toolError(error) }
      if let sentence = Self.toolError(error).sentence { StandardError.say(sentence) }
    }
    guard !devices.isEmpty || !networks.isEmpty else {
      throw ToolError.sentence(
        bluetoothFolder.map { Self.noDevices(in: $0) } ?? "BlueZ knows no device with Bluetooth Low Energy",
        .no)
    }
    var printer = Printer(keepsNull: true)
    for device in devices {
      let isAmbiguous = devices.contains {
        $0.address.bits == device.address.bits && $0.address != device.address
      }
      let line = MigrationLine(device, manifest, isAmbiguous: isAmbiguous)
      if json { try printer.line(line) } else { try printer.text(line.text) }
    }
    for line in networks {
      if json { try printer.line(line) } else { try printer.text(line.text) }
    }
    try printer.flush()
  }

  /// The known networks that an item looks for. A copy of bluetoothd's folder says nothing about networks.
  private func networkLines(_ manifest: GatewayManifest) -> [KnownNetworkLine] {
    guard networkRoot != nil || bluetoothFolder == nil else { return [] }
    guard manifest.items.contains(where: \.item.descriptor.hasWiFiClause) else {
      if networkRoot != nil {
        StandardError.say("no item of the manifest looks for a network, so --network-root is not read")
      }
      return []
    }
    let contents = KnownNetworkSource(root: networkRoot ?? "").read()
    for problem in contents.problems {
      let cure =
        switch problem.cause {
        case .file(.system(let error)) where problem.path == networkRoot && !error.isPermission:
          "name another folder with --network-root"
        case .file(.system(let error)): error.isPermission ? "run it as root" : "check the disk"
        case .file, .damaged: "check the file"
        }
      StandardError.say("\(shown(problem.sentence)); \(cure)")
    }
    let (lines, others) = contents.networks.lines(for: manifest)
    if others > 0 {
      StandardError.say(
        others == 1
          ? "no item looks for 1 other known network" : "no item looks for the \(others) other known networks"
      )
    }
    return lines
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
