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

  /// Lets the keys of pairings be kept.
  public static let setBondable = MgmtOpcode(rawValue: 0x0009)
  /// An adapter for BR/EDR takes ``setSecureConnections`` only while this is on.
  public static let setSecureSimplePairing = MgmtOpcode(rawValue: 0x000b)
  public static let loadLinkKeys = MgmtOpcode(rawValue: 0x0012)
  public static let loadLongTermKeys = MgmtOpcode(rawValue: 0x0013)
  public static let pairDevice = MgmtOpcode(rawValue: 0x0019)
  public static let cancelPairDevice = MgmtOpcode(rawValue: 0x001a)
  public static let unpairDevice = MgmtOpcode(rawValue: 0x001b)
  public static let confirm = MgmtOpcode(rawValue: 0x001c)
  public static let denyConfirmation = MgmtOpcode(rawValue: 0x001d)
  public static let enterPasskey = MgmtOpcode(rawValue: 0x001e)
  public static let denyPasskey = MgmtOpcode(rawValue: 0x001f)
  public static let setSecureConnections = MgmtOpcode(rawValue: 0x002d)
  /// Debug keys are public; off means that such a key is not kept.
  public static let setDebugKeys = MgmtOpcode(rawValue: 0x002e)
  public static let loadIdentityKeys = MgmtOpcode(rawValue: 0x0030)

  /// Whether the parameters of the command are keys, which are never printed.
  var hasKeys: Bool { self == .loadLinkKeys || self == .loadLongTermKeys || self == .loadIdentityKeys }
}

/// One message to the management interface: code, controller index, length, parameters; the numbers are two bytes,
/// least significant first ("Packet Structures").
public struct MgmtCommand: Equatable, Sendable {
  public let opcode: MgmtOpcode
  public let index: UInt16
  private(set) var parameters: [UInt8] = []

  init(_ opcode: MgmtOpcode, _ index: UInt16) { (self.opcode, self.index) = (opcode, index) }

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

  /// The most long term keys that a command can carry: its parameters have at most 65,535 bytes, and such a key takes 36.
  /// Other keys are shorter.
  public static let longTermKeysMax = 1820

  /// Replaces all identity keys in the kernel by these, as many as fit. An empty list also tells the kernel to resolve
  /// addresses and to have keys of devices with private addresses kept.
  public static func loadIdentityKeys(_ keys: [MgmtKey<KeyValue>], _ index: UInt16) -> Self {
    Self(.loadIdentityKeys, index).with(list: keys.map(\.bytes))
  }

  /// Replaces all long term keys in the kernel by these, the first ``longTermKeysMax`` of them.
  public static func loadLongTermKeys(_ keys: [MgmtKey<LongTermKey>], _ index: UInt16) -> Self {
    Self(.loadLongTermKeys, index).with(list: keys.map(\.bytes))
  }

  /// Replaces all BR/EDR keys in the kernel by these, as many as fit; debug keys are not kept.
  public static func loadLinkKeys(_ keys: [MgmtKey<LinkKey>], _ index: UInt16) -> Self {
    // Debug_Keys.
    Self(.loadLinkKeys, index).with([0]).with(list: keys.map(\.bytes))
  }

  /// Connects to a device and pairs with it; the reply comes when both is done. The kernel never gives up on a device
  /// that is not there.
  public static func pair(_ device: DeviceAddress, ioCapability: UInt8, _ index: UInt16) -> Self {
    Self(.pairDevice, index).with(device.mgmtBytes + [ioCapability])
  }

  /// Ends the pairing with a device that ``pair(_:ioCapability:_:)`` of this socket began.
  public static func cancelPairing(with device: DeviceAddress, _ index: UInt16) -> Self {
    Self(.cancelPairDevice, index).with(device.mgmtBytes)
  }

  /// Removes the long term keys and the identity key of a device, and ends its link.
  public static func unpair(_ device: DeviceAddress, _ index: UInt16) -> Self {
    Self(.unpairDevice, index).with(device.mgmtBytes + [1])
  }

  /// Replies to a request to compare digits, or to allow a pairing.
  public static func confirm(_ device: DeviceAddress, _ isConfirmed: Bool, _ index: UInt16) -> Self {
    Self(isConfirmed ? .confirm : .denyConfirmation, index).with(device.mgmtBytes)
  }

  /// Replies to a request for the six digits that a device shows; nil refuses.
  public static func enterPasskey(_ digits: UInt32?, for device: DeviceAddress, _ index: UInt16) -> Self {
    guard let digits else { return Self(.denyPasskey, index).with(device.mgmtBytes) }
    return Self(.enterPasskey, index).with(device.mgmtBytes + digits.littleEndianBytes)
  }

  private func with(list: [[UInt8]]) -> Self {
    let room = Int(UInt16.max) - parameters.count - 2
    let kept = list.prefix(list.first.map { room / $0.count } ?? 0)
    return with(UInt16(kept.count).littleEndianBytes + kept.joined())
  }
}

extension DeviceAddress {
  /// Address and Address_Type, as ``MgmtDevice`` reads them.
  public var mgmtBytes: [UInt8] {
    let isPublic = type == .public || type == .publicIdentity
    return bits.littleEndianBytes.prefix(6) + [isPublic ? 1 : 2]
  }

  /// Reads the device from the reply to a command about one; nil if the reply has none.
  public init?(mgmtReply returned: [UInt8]) {
    var cursor = ByteCursor(returned.span.rawBytes)
    guard let address = MgmtDevice(&cursor)?.address else { return nil }
    self = address
  }
}

// The commands of the kernel's management interface (BlueZ, doc/mgmt-api.txt) that bonds need.

extension MgmtCommand: CustomStringConvertible, CustomReflectable {
  /// Code and index; the parameters only of commands without keys.
  public var description: String {
    "mgmt \(opcode.rawValue) of \(index)\(opcode.hasKeys ? "" : " \(parameters)")"
  }

  /// Dumps and failed expectations show what a mirror does.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
