// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import HCI
import Interfaces
import JSON
import ManifestEdits
import ManifestFormat
import ToolText

/// What devices are called: as each calls itself, and as the accessories on them are called, by name and by the beginning
/// of their identifiers. The beginning of an address, with a colon, is a name of those in sight that have it.
struct DeviceNames {
  private static let shownMax = 10

  private let devices: [DeviceLine]
  private let accessories: [AccessoryLine]
  /// The agent that was asked.
  private var gateway: GatewayOptions?

  init(_ devices: [DeviceLine], _ accessories: [AccessoryLine] = []) {
    self.devices = devices.filter { $0.address.type != .anonymous }
    self.accessories = accessories
  }

  /// The devices that the agent remembers, and the accessories, if it lists them.
  init(askedOf gateway: GatewayOptions) throws(ToolError) {
    let devices = try gateway.callForList(GatewayMethodName.sightings, GatewayCall(all: true).write) {
      line throws(JSONMemberError) in
      try line.objectIfPresent("device").map { line throws(JSONMemberError) in try DeviceLine(reading: line) }
    }
    let accessories = Result { () throws(ToolError) in try gateway.accessories() }
    self.init(devices, (try? accessories.get()) ?? [])
    self.gateway = gateway
  }

  /// The same, to find what is called so. Without an agent a mistyped address is an error of its own.
  init(askedOf gateway: GatewayOptions, for name: String) throws(ToolError) {
    do throws(ToolError) { try self.init(askedOf: gateway) } catch {
      guard Self.isAddress(name) else { throw error }
      self.init([])
    }
  }

  /// Whether a name can only be an address, its beginning, or a mistyped one.
  static func isAddress(_ name: String) -> Bool {
    name.contains(":") && name.allSatisfy { $0 == ":" || $0.isHexDigit }
  }

  /// The accessory that is a network and is called so.
  func network(named name: String) -> AirText? {
    accessories.lazy.filter { $0.address == nil && $0.isMeant(by: name) }.compactMap(\.ssid).first
  }

  /// The address of the only device that is called so; nil when none is. A name as it is written is better than one that
  /// differs in case.
  func address(named name: String) throws(ToolError) -> DeviceArgument? {
    let beginning = Self.isAddress(name) ? name.uppercased() : nil
    let meant = devices.filter { device in
      device.nameText == name || beginning.map { device.address.text?.hasPrefix($0) ?? false } ?? false
    }
    let owned = accessories.filter { $0.address != nil && $0.isMeant(by: name) }
    guard meant.isEmpty, owned.isEmpty else { return try only(meant, owned, named: name) }
    let lowercased = name.lowercased()
    return try only(
      devices.filter { $0.nameText.lowercased() == lowercased },
      accessories.filter { $0.address != nil && $0.displayName.lowercased() == lowercased }, named: name)
  }

  private func only(
    _ devices: [DeviceLine], _ accessories: [AccessoryLine], named name: String
  ) throws(ToolError) -> DeviceArgument? {
    let addresses = devices.compactMap(\.address.text) + accessories.compactMap { $0.address?.text }
    guard let first = addresses.first else { return nil }
    guard addresses.contains(where: { $0 != first }) else { return DeviceArgument(argument: first) }
    let seen = devices.sorted(by: DeviceLine.areStrongestFirst).map { line in
      (line.address.text ?? "") + (line.filteredRSSI.map { " (\($0) dBm)" } ?? "")
    }
    let listed = accessories.listed
    let all = seen + zip(listed, listed.shortIdentifiers).map { $0.description(identifier: $1) }
    let more = all.count > Self.shownMax ? ", and \(all.count - Self.shownMax) more" : ""
    let likeness = Self.isAddress(name) ? "have addresses that begin with" : "call themselves"
    let reason =
      accessories.isEmpty
      ? "\(devices.count) devices \(likeness) \(quoted(name))" : "\(quoted(name)) may be any of"
    throw .sentence(
      "\(reason): \(all.prefix(Self.shownMax).joined(separator: ", "))\(more); name one by its address",
      .usage)
  }

  /// The accessory on the only device in sight that calls itself so, if it is one of these.
  static func accessories(
    _ accessories: [AccessoryLine], onDeviceNamed name: String, askedOf gateway: GatewayOptions
  ) -> [AccessoryLine] {
    let names = Result { () throws(ToolError) in try DeviceNames(askedOf: gateway) }
    let lowercased = name.lowercased()
    let meant = (try? names.get())?.devices.filter { $0.nameText.lowercased() == lowercased } ?? []
    return accessories.filter { accessory in
      meant.contains { device in device.address.bits == accessory.address?.bits }
    }
  }

  /// The accessories that are on a device and are called so, by a name or an identifier.
  func accessories(named name: String, at device: DeviceArgument) -> [AccessoryLine] {
    let lowercased = name.lowercased()
    return accessories.filter {
      $0.address?.bits == device.bits && ($0.isMeant(by: name) || $0.displayName.lowercased() == lowercased)
    }
  }

  /// Why a name means no device, of `input` or of the agent.
  func unknown(_ name: String, in input: CaptureInput? = nil) -> ToolError {
    let isCapture = input != nil
    let place = input.map { "of the \($0.noun)" } ?? "in sight"
    let list =
      switch input {
      case nil: "accessoryctl sightings --all lists what is in sight"
      case .file: "accessoryctl sightings --all --capture lists what is there"
      case .hex, .lines: "accessoryctl decode --hex shows what they say"
      }
    let isAddress = Self.isAddress(name)
    let called = isAddress ? devices.compactMap(\.address.text) : devices.map(\.nameText)
    let owned = isAddress ? accessories.compactMap { $0.address?.text } : accessories.map(\.displayName)
    let known = Set((called + owned).filter { !$0.isEmpty }).sorted()
    let near = Self.near(name, among: known)
    let question = near.isEmpty ? "" : "did you mean \(near.map(quoted).joined(separator: " or "))? "
    guard !isAddress else {
      return .sentence(
        "no device \(place) has an address that begins with \(quoted(name)); \(question)\(list)", .no)
    }
    let isShort =
      !isCapture && name.utf8.count < AccessoryLine.prefixLengthMin && name.allSatisfy(\.isHexDigit)
    let identifier =
      isShort ? "an identifier needs \(AccessoryLine.prefixLengthMin) digits or more; " : ""
    return .sentence(
      "no device \(place) calls itself \(quoted(name))\(isCapture ? "" : ", and no accessory is called so"); "
        + "\(identifier)\(question)\(list)\(responseNote)", .no)
  }

  /// The names that are near, or have a word that is.
  private static func near(_ name: String, among known: [String]) -> [String] {
    let whole = KeywordSuggestion.nearNames(to: name, among: known)
    guard whole.isEmpty, name.utf8.count > 2 else { return whole }
    let words = known.map { $0.split { " -_".contains($0) }.map(String.init) }
    let near = zip(known, words).filter { !KeywordSuggestion.nearNames(to: name, among: $1).isEmpty }
    return near.prefix(3).map(\.0)
  }

  /// What keeps the agent from names, if it scans passively.
  private var responseNote: String {
    guard let gateway else { return "" }
    let status = Result { () throws(ToolError) in try gateway.status() }
    guard (try? status.get())?.radio.scan == .passive else { return "" }
    return
      "; the agent scans passively, and so knows no name that stands in a scan response: give the device's address, "
      + "or set scan = \"active\" in [gateway]"
  }
}

extension DeviceLine {
  /// Empty without a name.
  fileprivate var nameText: String { name?.repaired ?? "" }
}
