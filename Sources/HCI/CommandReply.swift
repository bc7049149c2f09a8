// SPDX-License-Identifier: GPL-3.0-or-later

/// What a controller says to a command: Command Complete or Command Status (Core Specification 5.4, Volume 4, Part E,
/// 7.7.14 and 7.7.15), borrowed.
@frozen
public struct CommandReply: ~Escapable {
  public let opcode: Opcode
  /// How many more commands the controller takes now (Num_HCI_Command_Packets).
  public let commandsAllowed: UInt8
  /// Nil in a Command Complete event without return parameters.
  public let status: ErrorCode?
  /// False for a Command Status event with success: the command has begun, and its own event ends it.
  public let isComplete: Bool
  /// What a Command Complete event carries behind the status.
  public let returned: RawSpan

  /// Command Complete, 7.7.14.
  public static var complete: UInt8 { 0x0E }
  /// Command Status, 7.7.15.
  public static var commandStatus: UInt8 { 0x0F }

  /// The answer in `event`, or nil when it is some other event or is cut.
  @_lifetime(copy event)
  public init?(_ event: borrowing Event) {
    let parameters = event.parameters
    switch event.code {
    case Self.complete:
      guard parameters.byteCount >= 3, event.trailingByteCount >= 0 else { return nil }
      commandsAllowed = parameters.uint8(at: 0)
      opcode = Opcode(rawValue: parameters.uint16(at: 1))
      status = parameters.byteCount > 3 ? ErrorCode(rawValue: parameters.uint8(at: 3)) : nil
      isComplete = true
      returned = parameters.extracting(droppingFirst: 4)
    case Self.commandStatus:
      guard parameters.byteCount >= 4, event.trailingByteCount >= 0 else { return nil }
      let code = ErrorCode(rawValue: parameters.uint8(at: 0))
      commandsAllowed = parameters.uint8(at: 1)
      opcode = Opcode(rawValue: parameters.uint16(at: 2))
      status = code
      isComplete = code != .success
      returned = parameters.slice(at: 4, count: 0)
    default: return nil
    }
  }
}

extension Event {
  /// Hardware Error, 7.7.16.
  public static var hardwareError: UInt8 { 0x10 }

  /// The code of a Hardware Error event, which the manufacturer defines; nil when this is some other event.
  public var hardwareErrorCode: UInt8? {
    code == Self.hardwareError && parameters.byteCount >= 1 ? parameters.uint8(at: 0) : nil
  }
}
