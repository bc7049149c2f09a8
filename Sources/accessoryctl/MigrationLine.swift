// SPDX-License-Identifier: GPL-3.0-or-later

import BlueZ
import BondFiles
import HCI
import Interfaces
import JSON
import Manifest
import ToolText

/// A device that BlueZ knows: a line of `migrate --json`.
struct MigrationLine: Line {
  let device: KnownDevice
  let address: String
  let takers: [(app: String, item: String, match: KnownDevice.Match)]
  /// The apps that none of the takers belongs to, but that declare what the device has.
  let declarers: [(app: String, declared: [KnownDevice.Declared])]
  /// BlueZ knows a public and a random device with this address.
  let isAmbiguous: Bool

  init(_ device: KnownDevice, _ manifest: GatewayManifest, isAmbiguous: Bool) {
    self.device = device
    self.isAmbiguous = isAmbiguous
    address = AddressText.text(of: device.address.bits)
    guard !isAmbiguous else {
      (takers, declarers) = ([], [])
      return
    }
    // An item that only observes sets nothing up.
    let takers = manifest.items.filter { $0.item.selection != .observe }.compactMap { item in
      let match = device.match(item.item.descriptor)
      return match == .fails ? nil : (app: item.app, item: item.item.id, match: match)
    }
    self.takers = takers
    declarers = manifest.apps.compactMap { app in
      let declared = device.declared(by: app)
      return declared.isEmpty || takers.contains { $0.app == app.name } ? nil : (app.name, declared)
    }
  }

  /// What an app gives as `peripheralIdentifier`; nil when it cannot name the device.
  private var identifier: String? {
    isAmbiguous
      ? nil : "00000000-0000-0000-0000-" + Hex.digits(device.address.bits, count: 12).uppercased()
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
    json.objects("apps", declarers.map { DeclarerLine(app: $0.app, declares: $0.declared) })
  }

  var text: String {
    let name = device.name.map { " " + AirText(Array($0.utf8)).terminal(columnsMax: 64) } ?? ""
    var text = "\(address) \(type)\(device.isPaired ? " paired" : "")\(name)\n"
    guard let identifier else {
      return text
        + "  it cannot be migrated: BlueZ knows a public and a random device with this address; remove "
        + "the wrong one with bluetoothctl remove\n"
    }
    text += "  identifier \(identifier)\n"
    for taker in takers {
      text +=
        "  \(Self.shown("\(taker.app)/\(taker.item)")) \(taker.match == .holds ? "takes it" : "may take it")\n"
    }
    for declarer in declarers {
      let declared = declarer.declared.map { "the \($0.rawValue)" }.joined(separator: " and ")
      text += "  app \(Self.shown(declarer.app)) may take it: it declares \(declared)\n"
    }
    if takers.isEmpty, declarers.isEmpty { text += "  no item takes it, and no app declares what it has\n" }
    return text
  }

  private static func shown(_ name: String) -> String { AirText(Array(name.utf8)).escaped() }
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

private struct DeclarerLine: Line {
  let app: String
  let declares: [KnownDevice.Declared]

  func writeMembers(to json: inout JSONWriter) {
    json.member("app", app)
    json.member("declares", declares.map(\.rawValue))
  }
}
