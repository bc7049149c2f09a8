// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The status of a command of the management interface ("Error Codes").
public struct MgmtStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let success = MgmtStatus(rawValue: 0x00)
  public static let unknownCommand = MgmtStatus(rawValue: 0x01)
  public static let notConnected = MgmtStatus(rawValue: 0x02)
  public static let failed = MgmtStatus(rawValue: 0x03)
  public static let connectFailed = MgmtStatus(rawValue: 0x04)
  public static let authenticationFailed = MgmtStatus(rawValue: 0x05)
  public static let notPaired = MgmtStatus(rawValue: 0x06)
  public static let timeout = MgmtStatus(rawValue: 0x08)
  public static let busy = MgmtStatus(rawValue: 0x0a)
  public static let rejected = MgmtStatus(rawValue: 0x0b)
  public static let notSupported = MgmtStatus(rawValue: 0x0c)
  public static let invalidParameters = MgmtStatus(rawValue: 0x0d)
  public static let disconnected = MgmtStatus(rawValue: 0x0e)
  public static let notPowered = MgmtStatus(rawValue: 0x0f)
  public static let cancelled = MgmtStatus(rawValue: 0x10)
  public static let invalidIndex = MgmtStatus(rawValue: 0x11)
  public static let blocked = MgmtStatus(rawValue: 0x12)
  public static let alreadyPaired = MgmtStatus(rawValue: 0x13)
  public static let permissionDenied = MgmtStatus(rawValue: 0x14)
}

/// The settings of an adapter ("Read Controller Information Command", Current_Settings).
public struct AdapterSettings: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let powered = AdapterSettings(rawValue: 1 << 0)
  public static let lowEnergy = AdapterSettings(rawValue: 1 << 9)

  /// Reads the reply to a command that changes the settings: Current_Settings.
  init?(_ returned: [UInt8]) {
    var cursor = ByteCursor(returned.span.rawBytes)
    guard let settings = cursor.uint32() else { return nil }
    self.init(rawValue: settings)
  }
}

/// Why a message is not an event of the management interface.
public enum MgmtError: Error, Equatable, Sendable {
  /// The message ends before its last field; it has `byteCount` bytes.
  case truncated(byteCount: Int)
  /// A field of the event with this code has a value that the format does not allow.
  case invalidValue(event: UInt16)
  /// The event with this code is about a pairing with this device, and its digits are above 999,999.
  case invalidDigits(event: UInt16, DeviceAddress)
}

/// One message from the management interface: event, controller index, length, parameters, least significant byte
/// first ("Packet Structures").
public struct MgmtEvent: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// A command completed; `returned` are the bytes after the status.
    case completed(MgmtOpcode, MgmtStatus, returned: [UInt8])
    case added
    case removed
    case settings(AdapterSettings)
    /// Discovery began or ended, whichever program requested it.
    case discovering(Bool)
    /// Another socket removed a monitor; a socket gets no event for its own commands. Handle 0 means all monitors.
    case monitorRemoved(handle: UInt16)
    /// The link to an LE device ended.
    case disconnected(DeviceAddress, MgmtDisconnectReason)
    /// A link, a pairing or a key.
    case bond(MgmtBondEvent)
    /// An event that concerns none of these, or a BR/EDR device.
    case other(UInt16)
  }

  /// The controller's index; 0xFFFF for events that concern no controller.
  public let index: UInt16
  public let content: Content

  public init(index: UInt16, _ content: Content) { (self.index, self.content) = (index, content) }

  /// Whether another program caused it: a socket gets replies to its own commands.
  public var isByOtherProgram: Bool {
    switch content {
    case .settings, .monitorRemoved: true
    case .completed, .added, .removed, .discovering, .disconnected, .bond, .other: false
    }
  }

  public init(parsing bytes: RawSpan) throws(MgmtError) {
    var cursor = ByteCursor(bytes)
    guard let code = cursor.uint16(), let index = cursor.uint16(), let byteCount = cursor.uint16(),
      let parameters = cursor.bytes(Int(byteCount)), let content = try Content(code, parameters)
    else { throw .truncated(byteCount: bytes.byteCount) }
    self.init(index: index, content)
  }
}

extension MgmtEvent.Content {
  /// Reads an event's parameters ("Command Complete Event" and those that follow it); nil if they are truncated.
  fileprivate init?(_ code: UInt16, _ parameters: RawSpan) throws(MgmtError) {
    var cursor = ByteCursor(parameters)
    switch code {
    // Command Complete and Command Status: Command_Opcode, Status, Return_Parameters.
    case 0x0001, 0x0002:
      guard let opcode = cursor.uint16(), let status = cursor.uint8() else { return nil }
      self = .completed(
        MgmtOpcode(rawValue: opcode), MgmtStatus(rawValue: status), returned: cursor.array(cursor.byteCount))
    // Index Added and Index Removed.
    case 0x0004: self = .added
    case 0x0005: self = .removed
    // New Settings: Current_Settings.
    case 0x0006:
      guard let settings = cursor.uint32() else { return nil }
      self = .settings(AdapterSettings(rawValue: settings))
    // Device Disconnected: Address, Address_Type, Reason.
    case 0x000c:
      guard let device = MgmtDevice(&cursor), let reason = cursor.uint8() else { return nil }
      guard let address = device.address else {
        self = .other(code)
        return
      }
      self = .disconnected(address, MgmtDisconnectReason(rawValue: reason))
    // Discovering: Address_Type, Discovering.
    case 0x0013:
      guard cursor.skip(1), let isDiscovering = cursor.uint8() else { return nil }
      self = .discovering(isDiscovering != 0)
    // Advertisement Monitor Removed: Monitor_Handle.
    case 0x002c:
      guard let handle = cursor.uint16() else { return nil }
      self = .monitorRemoved(handle: handle)
    default:
      guard let least = MgmtBondEvent.byteCountsMin[code] else {
        self = .other(code)
        return
      }
      guard parameters.byteCount >= least else { return nil }
      self = try MgmtBondEvent(code, &cursor).map { .bond($0) } ?? .other(code)
    }
  }
}

/// Why a link ended ("Device Disconnected Event", Reason).
public struct MgmtDisconnectReason: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Nothing was received for longer than the supervision timeout.
  public static let timeout = MgmtDisconnectReason(rawValue: 1)
  public static let byLocalHost = MgmtDisconnectReason(rawValue: 2)
  public static let byRemoteHost = MgmtDisconnectReason(rawValue: 3)
  /// The device does not accept the keys.
  public static let authenticationFailed = MgmtDisconnectReason(rawValue: 4)
}

/// The device of a message: Address, Address_Type (0 for BR/EDR, 1 for LE public, 2 for LE random).
struct MgmtDevice {
  /// Nil for a device that is not an LE device.
  let address: DeviceAddress?

  /// Nil if the message ends before.
  init?(_ cursor: inout ByteCursor) {
    guard let bits = cursor.uint48(), let type = cursor.uint8() else { return nil }
    switch type {
    case 1: address = DeviceAddress(bits: bits, type: .public)
    case 2: address = DeviceAddress(bits: bits, type: .random)
    default: address = nil
    }
  }
}

/// The reply to Get Connection Information: Address, Address_Type, RSSI, and transmit powers that the agent does not
/// use.
public struct ConnectionInformation: Equatable, Sendable {
  /// dBm; nil when the controller does not know it.
  public let rssi: Int8?

  /// Nil if the reply is truncated.
  public init?(_ returned: [UInt8]) {
    var cursor = ByteCursor(returned.span.rawBytes)
    guard MgmtDevice(&cursor) != nil, let rssi = cursor.int8() else { return nil }
    self.rssi = rssi == 127 ? nil : rssi
  }
}

/// The reply to Read Controller Information: Address, Bluetooth_Version, Manufacturer, Supported_Settings,
/// Current_Settings, and fields that the agent does not use.
struct ControllerInformation: Equatable, Sendable {
  let address: UInt64
  let supported: AdapterSettings
  let current: AdapterSettings

  init?(_ returned: [UInt8]) {
    var cursor = ByteCursor(returned.span.rawBytes)
    guard let address = cursor.uint48(), cursor.skip(1), cursor.skip(2),
      let supported = cursor.uint32(), let current = cursor.uint32()
    else { return nil }
    self.address = address
    self.supported = AdapterSettings(rawValue: supported)
    self.current = AdapterSettings(rawValue: current)
  }
}
