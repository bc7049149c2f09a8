// SPDX-License-Identifier: GPL-3.0-or-later

/// A controller's reply to a command: Command Complete or Command Status (Core Specification 5.4, Volume 4, Part E,
/// 7.7.14 and 7.7.15), borrowed.
@frozen
public struct CommandReply: ~Escapable {
  public let opcode: Opcode
  /// How many more commands the controller takes now (Num_HCI_Command_Packets).
  public let commandsAllowed: UInt8
  /// nil in a Command Complete event without return parameters.
  public let status: ErrorCode?
  /// False for a Command Status event with success: the command has begun, and its own event ends it.
  public let isComplete: Bool
  /// The return parameters of a Command Complete event after the status.
  public let returned: RawSpan

  /// Command Complete, 7.7.14.
  public static var complete: UInt8 { 0x0E }
  /// Command Status, 7.7.15.
  public static var commandStatus: UInt8 { 0x0F }

  /// The reply in `event`, or nil when it is some other event or is truncated.
  @_lifetime(copy event)
  public init?(_ event: borrowing Event) {
    guard event.trailingByteCount >= 0 else { return nil }
    var cursor = ByteCursor(event.parameters)
    switch event.code {
    case Self.complete:
      guard let commandsAllowed = cursor.uint8(), let opcode = cursor.uint16() else { return nil }
      self.commandsAllowed = commandsAllowed
      self.opcode = Opcode(rawValue: opcode)
      status = cursor.uint8().map { ErrorCode(rawValue: $0) }
      isComplete = true
      returned = cursor.rest
    case Self.commandStatus:
      guard let code = cursor.uint8(), let commandsAllowed = cursor.uint8(), let opcode = cursor.uint16()
      else {
        return nil
      }
      self.commandsAllowed = commandsAllowed
      self.opcode = Opcode(rawValue: opcode)
      status = ErrorCode(rawValue: code)
      isComplete = status != .success
      returned = cursor.rest.extracting(first: 0)
    default: return nil
    }
  }
}

extension Event {
  /// Hardware Error, 7.7.16.
  public static var hardwareError: UInt8 { 0x10 }

  /// The code of a Hardware Error event, which the manufacturer defines; nil when this is some other event.
  public var hardwareErrorCode: UInt8? {
    guard code == Self.hardwareError else { return nil }
    var cursor = ByteCursor(parameters)
    return cursor.uint8()
  }
}

/// The status with which a controller replies to a command (Core Specification 5.4, Volume 1, Part F, 1.3).
@frozen
public struct ErrorCode: Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static var success: Self { Self(rawValue: 0x00) }
  public static var unknownCommand: Self { Self(rawValue: 0x01) }
  public static var hardwareFailure: Self { Self(rawValue: 0x03) }
  public static var memoryExceeded: Self { Self(rawValue: 0x07) }
  public static var commandDisallowed: Self { Self(rawValue: 0x0C) }
  public static var unsupportedParameter: Self { Self(rawValue: 0x11) }
  public static var invalidParameters: Self { Self(rawValue: 0x12) }
}
