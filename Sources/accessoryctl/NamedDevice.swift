// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import ToolText

/// A device as the operator names it: by its address in any spelling, or by a name of ``DeviceNames``.
enum NamedDevice: ExpressibleByArgument {
  case address(DeviceArgument)
  case name(String)

  init?(argument: String) {
    if let device = DeviceArgument(argument: argument) {
      self = .address(device)
    } else {
      guard !argument.isEmpty else { return nil }
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

  var text: String {
    switch self {
    case .address(let device): device.text
    case .name(let name): shown(name)
    }
  }

  /// The address; for a name, that of the only device that is called so.
  func address(askedOf gateway: GatewayOptions) throws(ToolError) -> DeviceArgument {
    switch self {
    case .address(let device): return device
    case .name(let name):
      let names = try DeviceNames(askedOf: gateway, for: name)
      guard let address = try names.address(named: name) else { throw names.unknown(name) }
      return address
    }
  }

  /// The address; for a name, that of the only one of the devices, of a capture or in sight, that calls itself so.
  func address(among devices: [DeviceLine], of input: CaptureInput? = nil) throws(ToolError) -> DeviceArgument
  {
    switch self {
    case .address(let device): return device
    case .name(let name):
      let names = DeviceNames(devices)
      guard let address = try names.address(named: name) else { throw names.unknown(name, in: input) }
      return address
    }
  }
}
