// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import JSON
import ToolText

/// A device as the operator names it: by its address, or as it calls itself.
enum NamedDevice: ExpressibleByArgument {
  case address(DeviceArgument)
  case name(String)

  private static let shownMax = 10

  init?(argument: String) {
    if let device = DeviceArgument(argument: argument) {
      self = .address(device)
    } else {
      // What consists of digits and colons is a mistyped address.
      let isAddress = argument.utf8.contains(0x3A) && argument.utf8.allSatisfy(\.isAddressCharacter)
      guard !argument.isEmpty, !isAddress else { return nil }
      self = .name(argument)
    }
  }

  /// As it was typed.
  var argument: String {
    switch self {
    case .address(let device): device.argument
    case .name(let name): name
    }
  }

  /// Whether a device in sight has the address or the name.
  func isInSight(askedOf gateway: GatewayOptions) throws(ToolError) -> Bool {
    guard case .name(let name) = self else { return true }
    return try Self.devices(of: gateway).contains { $0.nameText.lowercased() == name.lowercased() }
  }

  private static func devices(of gateway: GatewayOptions) throws(ToolError) -> [DeviceLine] {
    try gateway.callForList(GatewayMethodName.sightings, GatewayCall(all: true).write) {
      line throws(JSONMemberError) in
      try line.objectIfPresent("device").map { line throws(JSONMemberError) in try DeviceLine(reading: line) }
    }
  }

  var text: String {
    switch self {
    case .address(let device): device.text
    case .name(let name): shown(name)
    }
  }

  /// The address; for a name, that of the only device that has it, among those that the agent remembers.
  func address(askedOf gateway: GatewayOptions) throws(ToolError) -> DeviceArgument {
    if case .address(let device) = self { return device }
    return try address(among: Self.devices(of: gateway))
  }

  /// The address; for a name, that of the only one of the devices that has it. An exact name is better than one that
  /// differs in case.
  func address(among devices: [DeviceLine]) throws(ToolError) -> DeviceArgument {
    let name: String
    switch self {
    case .address(let device): return device
    case .name(let text): name = text
    }
    let named = devices.filter { $0.address.type != .anonymous && $0.name != nil }
    let exact = named.filter { $0.nameText == name }
    return try Self.address(
      of: exact.isEmpty ? named.filter { $0.nameText.lowercased() == name.lowercased() } : exact, named: name)
  }

  private static func address(of meant: [DeviceLine], named name: String) throws(ToolError) -> DeviceArgument
  {
    guard let device = meant.first?.address.text.flatMap(DeviceArgument.init(argument:)) else {
      throw .sentence(
        "no device in sight calls itself \(quoted(name)); accessoryctl sightings --all lists what is in sight, and an "
          + "address has six pairs of digits, AA:BB:CC:DD:EE:FF", .usage)
    }
    guard meant.count == 1 else {
      let listed = meant.sorted(by: DeviceLine.areStrongestFirst).prefix(shownMax).map { line in
        (line.address.text ?? "") + (line.filteredRSSI.map { " (\($0) dBm)" } ?? "")
      }
      let more = meant.count > listed.count ? ", and \(meant.count - listed.count) more" : ""
      throw .sentence(
        "\(meant.count) devices call themselves \(quoted(name)): \(listed.joined(separator: ", "))\(more); "
          + "name one by its address", .usage)
    }
    return device
  }
}

extension DeviceLine {
  /// The name without the NULs that some devices send after it; empty without a name.
  fileprivate var nameText: String {
    var bytes = name?.bytes ?? []
    while bytes.last == 0 { bytes.removeLast() }
    return AirText(bytes).repaired
  }
}

extension UInt8 {
  fileprivate var isAddressCharacter: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "a")...UInt8(ascii: "f"):
      true
    default: false
    }
  }
}
