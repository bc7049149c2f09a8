// SPDX-License-Identifier: GPL-3.0-or-later

/// Why bytes are not an HCI event.
public enum EventError: Error, Equatable, Sendable, BitwiseCopyable {
  /// Fewer than the two bytes of the header.
  case headerTruncated(byteCount: Int)
}

/// An HCI event, borrowed: code, parameter length, parameters (Core Specification 5.4, Volume 4, Part E, 5.4.4).
@frozen
public struct Event: ~Escapable {
  public let code: UInt8
  /// The parameters that are there: at most as many bytes as the header says, fewer when the event was cut.
  public let parameters: RawSpan
  /// How the bytes that are there compare with the header's length: negative when the event was cut, positive
  /// when more follow.
  public let trailingByteCount: Int

  /// The LE Meta event (7.7.65), whose first parameter is a subevent code.
  public static var leMeta: UInt8 { 0x3E }

  @inlinable
  @inline(__always)
  @_lifetime(copy body)
  public init(parsing body: RawSpan) throws(EventError) {
    var cursor = ByteCursor(body)
    guard let code = cursor.uint8(), let declared = cursor.uint8() else {
      throw .headerTruncated(byteCount: body.byteCount)
    }
    self.code = code
    trailingByteCount = cursor.byteCount &- Int(declared)
    if let all = cursor.bytes(Int(declared)) { parameters = all } else { parameters = cursor.rest }
  }
}
