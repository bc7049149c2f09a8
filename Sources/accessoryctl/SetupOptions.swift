// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Manifest
import ManifestFormat
import PickerScreen

/// The answers of `setup` that the command line gives.
struct SetupOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The adapter: any, hci0, an address, or another radio of the manifest.", valueName: "radio"))
  var radio: String?

  @Option(help: ArgumentHelp("The board's profile, such as raspberry-pi-4.", valueName: "name"))
  var board: String?

  @Option(
    help: ArgumentHelp(
      "The interface that looks for networks, such as wlan0, for items with ssid or ssid-prefix; or none.",
      valueName: "interface"))
  var wifi: String?

  @Option(
    help: ArgumentHelp(
      "An account that may choose accessories: it becomes a member of the group accessory; or none.",
      valueName: "account"))
  var `operator`: String?

  @Option(
    help: ArgumentHelp("The app that gets the accessory.", valueName: "name"), completion: Completions.apps)
  var app: String?

  @OptionGroup var account: AppAccountOptions

  @Flag(
    inversion: .prefixedNo,
    help: "Let Home Assistant use the gateway, with the package accessory-gateway-esphome.")
  var homeAssistant: Bool?

  @Option(
    help: ArgumentHelp(
      "The first accessory: the address of a device in sight, or its own name.", valueName: "device"),
    completion: Completions.devices)
  var device: NamedDevice?

  @Option(
    help: ArgumentHelp(
      "The first accessory, instead of a device: the network with this name. It need not be in sight yet.",
      valueName: "ssid"))
  var network: NamedNetwork?

  @Option(help: ArgumentHelp("The accessory's name.", valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("How long the agent listens to the device, 1 to 60.", valueName: "n"))
  var seconds = 10

  @OptionGroup var manifest: ManifestOption

  @Flag(name: .customLong("yes"), help: "Make the changes without asking.")
  var isYes = false

  func validate() throws {
    try SuggestCommand.validate(seconds: seconds)
    if device != nil, network != nil {
      throw ValidationError("--device and --network exclude each other")
    }
    if let radio, RadioSelection(text: radio) == nil {
      throw ValidationError("--radio takes any, hci0, an address, btsnoop:FILE or h4:PATH")
    }
    if let wifi, wifi.isEmpty || !wifi.isInterfaceName {
      throw ValidationError("--wifi takes the name of an interface, such as wlan0; ip link lists them")
    }
    for (option, word) in [("--app", app), ("--board", board)] {
      if let word, !word.isIdentifier {
        throw ValidationError("\(option) takes 1 to 64 letters, digits, dots, dashes or underscores")
      }
    }
    try AppAccountOptions.validate(`operator`, of: "--operator")
    if let name, name.utf8.isEmpty || name.utf8.count > PickerModel.nameBytesMax {
      throw ValidationError("--name takes 1 to \(PickerModel.nameBytesMax) bytes")
    }
  }
}
