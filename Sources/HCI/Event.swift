// SPDX-License-Identifier: GPL-3.0-or-later

/// Why bytes are not an HCI event.
public enum EventError: Error, Equatable, Sendable, BitwiseCopyable {
  /// Fewer than the two octets of the header.
  case headerTruncated(byteCount: Int)
}

/// An HCI event, borrowed: code, parameter length, parameters (Core Specification 5.4, Volume 4, Part E, 5.4.4).
@frozen
public struct Event: ~Escapable {
  public let code: UInt8
  /// The parameters that are there: at most as many octets as the header says, fewer when the event was cut.
  public let parameters: RawSpan
  /// How the octets that are there compare with the header's length: negative when the event was cut, positive
  /// when more follow.
  public let trailingByteCount: Int

  /// The LE Meta event (7.7.65), whose first parameter is a subevent code.
  public static var leMeta: UInt8 { 0x3E }

  @inlinable
  @inline(__always)
  @_lifetime(copy body)
  public init(parsing body: RawSpan) throws(EventError) {
    guard body.byteCount >= 2 else { throw .headerTruncated(byteCount: body.byteCount) }
    // Holds, here and below: the two octets of the header are there.
    let declared = Int(unsafe body.uncheckedUInt8(at: 1))
    let present = body.byteCount &- 2
    code = unsafe body.uncheckedUInt8(at: 0)
    trailingByteCount = present &- declared
    parameters = unsafe body.uncheckedSlice(at: 2, count: present < declared ? present : declared)
  }

  /// Whether this is an LE Advertising Report event (7.7.65.2) that says how many reports it holds.
  @inlinable
  public var holdsLegacyReports: Bool {
    code == Self.leMeta && parameters.byteCount >= 2
      && parameters.uint8(at: 0) == ReportFormat.legacy.rawValue
  }
}
