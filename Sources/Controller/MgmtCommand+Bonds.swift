// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// The commands of the kernel's management interface (BlueZ, doc/mgmt-api.txt) that bonds need.

extension MgmtOpcode {
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

extension MgmtCommand {
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

extension MgmtCommand: CustomStringConvertible, CustomReflectable {
  /// Code and index; the parameters only of commands without keys.
  public var description: String {
    "mgmt \(opcode.rawValue) of \(index)\(opcode.hasKeys ? "" : " \(parameters)")"
  }

  /// Dumps and failed expectations show what a mirror does.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension DeviceAddress {
  /// Reads the device from the reply to a command about one; nil if the reply has none.
  public init?(mgmtReply returned: [UInt8]) {
    var cursor = ByteCursor(returned.span.rawBytes)
    guard let address = MgmtDevice(&cursor)?.address else { return nil }
    self = address
  }
}
