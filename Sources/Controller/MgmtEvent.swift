// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The status of a command of the management interface ("Error Codes").
public struct MgmtStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let success = MgmtStatus(rawValue: 0x00)
  public static let unknownCommand = MgmtStatus(rawValue: 0x01)
  public static let busy = MgmtStatus(rawValue: 0x0a)
  public static let notSupported = MgmtStatus(rawValue: 0x0c)
  public static let notPowered = MgmtStatus(rawValue: 0x0f)
  public static let invalidIndex = MgmtStatus(rawValue: 0x11)
  public static let blocked = MgmtStatus(rawValue: 0x12)
  public static let permissionDenied = MgmtStatus(rawValue: 0x14)
}

/// The settings of an adapter ("Read Controller Information Command", Current_Settings).
public struct AdapterSettings: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let powered = AdapterSettings(rawValue: 1 << 0)
  public static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
}

/// Why a message is not an event of the management interface.
public enum MgmtError: Error, Equatable, Sendable {
  /// The message is truncated.
  case cut(byteCount: Int)
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
    /// An event that does not concern scanning.
    case other(UInt16)
  }

  /// The controller's index; 0xFFFF for events that concern no controller.
  public let index: UInt16
  public let content: Content

  public init(index: UInt16, _ content: Content) {
    self.index = index
    self.content = content
  }

  public init(parsing bytes: RawSpan) throws(MgmtError) {
    guard bytes.byteCount >= Self.headByteCount else { throw .cut(byteCount: bytes.byteCount) }
    let length = Int(bytes.uint16(at: 4))
    guard bytes.byteCount >= Self.headByteCount + length else { throw .cut(byteCount: bytes.byteCount) }
    index = bytes.uint16(at: 2)
    let code = bytes.uint16(at: 0)
    let body = bytes.extracting(Self.headByteCount..<Self.headByteCount + length)
    guard length >= Self.leastByteCount(code) else { throw .cut(byteCount: bytes.byteCount) }
    content = Self.content(code, body)
  }

  private static let headByteCount = 6

  private static func leastByteCount(_ code: UInt16) -> Int {
    switch code {
    case 0x0001, 0x0002: 3
    case 0x0006: 4
    case 0x0013, 0x002c: 2
    default: 0
    }
  }

  private static func content(_ code: UInt16, _ body: RawSpan) -> Content {
    switch code {
    case 0x0001, 0x0002:
      return .completed(
        MgmtOpcode(rawValue: body.uint16(at: 0)), MgmtStatus(rawValue: body.uint8(at: 2)),
        returned: (3..<body.byteCount).map { body.uint8(at: $0) })
    case 0x0004: return .added
    case 0x0005: return .removed
    case 0x0006: return .settings(AdapterSettings(rawValue: body.uint32(at: 0)))
    case 0x0013: return .discovering(body.uint8(at: 1) != 0)
    case 0x002c: return .monitorRemoved(handle: body.uint16(at: 0))
    default: return .other(code)
    }
  }
}

/// The reply to Read Controller Information: address, version, manufacturer, supported and current settings. Unused
/// fields are left out.
struct ControllerInformation: Equatable, Sendable {
  let address: UInt64
  let supported: AdapterSettings
  let current: AdapterSettings

  init?(_ returned: [UInt8]) {
    guard returned.count >= 17 else { return nil }
    address = returned.span.rawBytes.uint48(at: 0)
    supported = AdapterSettings(rawValue: returned.span.rawBytes.uint32(at: 9))
    current = AdapterSettings(rawValue: returned.span.rawBytes.uint32(at: 13))
  }
}

extension KernelDuty {
  /// Reads the duty from the parameters of Read Default System Configuration, which consist of type (2 bytes), length (1)
  /// and value; nil if they are missing.
  init?(_ returned: [UInt8], for purpose: Purpose) {
    var values: [UInt16: UInt16] = [:]
    var place = 0
    while place + 3 <= returned.count {
      let type = UInt16(returned[place]) | UInt16(returned[place + 1]) << 8
      let length = Int(returned[place + 2])
      guard place + 3 + length <= returned.count else { return nil }
      if length == 2 { values[type] = UInt16(returned[place + 3]) | UInt16(returned[place + 4]) << 8 }
      place += 3 + length
    }
    guard let interval = values[purpose.intervalType], let window = values[purpose.windowType] else {
      return nil
    }
    self.init(interval: interval, window: window)
  }
}
