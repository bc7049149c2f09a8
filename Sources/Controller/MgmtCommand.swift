// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The commands of the kernel's Bluetooth management interface (BlueZ, doc/mgmt-api.txt) that shared scanning and
/// connections of apps need.
public struct MgmtOpcode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let readControllerInformation = MgmtOpcode(rawValue: 0x0004)
  public static let setPowered = MgmtOpcode(rawValue: 0x0005)
  public static let setLowEnergy = MgmtOpcode(rawValue: 0x000d)
  public static let disconnect = MgmtOpcode(rawValue: 0x0014)
  public static let startDiscovery = MgmtOpcode(rawValue: 0x0023)
  public static let stopDiscovery = MgmtOpcode(rawValue: 0x0024)
  public static let getConnectionInformation = MgmtOpcode(rawValue: 0x0031)
  public static let readDefaultSystemConfiguration = MgmtOpcode(rawValue: 0x004b)
  public static let setDefaultSystemConfiguration = MgmtOpcode(rawValue: 0x004c)
  public static let addMonitor = MgmtOpcode(rawValue: 0x0052)
  public static let removeMonitor = MgmtOpcode(rawValue: 0x0053)
}

/// One message to the management interface: code, controller index, length, parameters; the numbers are two bytes,
/// least significant first ("Packet Structures").
public struct MgmtCommand: Equatable, Sendable {
  public let opcode: MgmtOpcode
  public let index: UInt16
  private(set) var parameters: [UInt8] = []

  init(_ opcode: MgmtOpcode, _ index: UInt16) {
    self.opcode = opcode
    self.index = index
  }

  /// The message as it is written to the socket.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(6 + parameters.count)
    for value in [opcode.rawValue, index, UInt16(parameters.count)] { bytes += value.littleEndianBytes }
    return bytes + parameters
  }

  func with(_ bytes: [UInt8]) -> Self {
    var command = self
    command.parameters += bytes
    return command
  }

  /// Reads the address and the settings.
  public static func readInformation(_ index: UInt16) -> Self { Self(.readControllerInformation, index) }

  /// Switches a setting on or off, such as ``MgmtOpcode/setPowered``.
  public static func set(_ setting: MgmtOpcode, to isOn: Bool, _ index: UInt16) -> Self {
    Self(setting, index).with([isOn ? 1 : 0])
  }

  /// Scans actively for about ten seconds for public and random LE addresses.
  public static func startDiscovery(_ index: UInt16) -> Self {
    Self(.startDiscovery, index).with([lowEnergyAddresses])
  }

  public static func stopDiscovery(_ index: UInt16) -> Self {
    Self(.stopDiscovery, index).with([lowEnergyAddresses])
  }

  public static func readDefaults(_ index: UInt16) -> Self { Self(.readDefaultSystemConfiguration, index) }

  /// Sets how the kernel scans, from its next scan on.
  public static func setDefaults(_ duty: KernelDuty, for purpose: KernelDuty.Purpose, _ index: UInt16) -> Self
  {
    var bytes: [UInt8] = []
    for (type, value) in [(purpose.intervalType, duty.interval), (purpose.windowType, duty.window)] {
      bytes += type.littleEndianBytes
      bytes.append(2)
      bytes += value.littleEndianBytes
    }
    return Self(.setDefaultSystemConfiguration, index).with(bytes)
  }

  /// Adds a monitor for all advertisements: one pattern of zero bytes. The reply holds its handle.
  public static func addMonitor(_ index: UInt16) -> Self {
    // A pattern: AD type, offset, length, and 31 bytes of value.
    Self(.addMonitor, index).with([1, 0x01, 0, 0] + [UInt8](repeating: 0, count: 31))
  }

  public static func removeMonitor(_ handle: UInt16, _ index: UInt16) -> Self {
    Self(.removeMonitor, index).with(handle.littleEndianBytes)
  }

  /// Ends the link to a device, whichever program uses it.
  public static func disconnect(_ device: DeviceAddress, _ index: UInt16) -> Self {
    Self(.disconnect, index).with(device.mgmtBytes)
  }

  /// Reads the signal strength of a link.
  public static func getConnectionInformation(_ device: DeviceAddress, _ index: UInt16) -> Self {
    Self(.getConnectionInformation, index).with(device.mgmtBytes)
  }

  /// LE public and LE random, of the bits BR/EDR, LE public, LE random.
  static let lowEnergyAddresses: UInt8 = 0b110
}

extension DeviceAddress {
  /// Address and Address_Type, as ``MgmtDevice`` reads them.
  public var mgmtBytes: [UInt8] {
    let isPublic = type == .public || type == .publicIdentity
    return bits.littleEndianBytes.prefix(6) + [isPublic ? 1 : 2]
  }
}
