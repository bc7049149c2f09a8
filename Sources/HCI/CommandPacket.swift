// SPDX-License-Identifier: GPL-3.0-or-later

/// One HCI command as it goes to the controller: H4 indicator, opcode, length, parameters (Core Specification 5.4,
/// Volume 4, Part A, 2, and Part E, 5.4.1).
///
/// It holds up to ``byteCountMax`` bytes in place. A command that would not fit is the caller's mistake and traps.
@frozen
public struct CommandPacket: Sendable, BitwiseCopyable {
  @usableFromInline var storage: [259 of UInt8]
  /// Bytes of the packet, indicator included.
  public private(set) var byteCount: Int

  /// Indicator, header, and 255 bytes of parameters.
  public static var byteCountMax: Int { 259 }
  /// Bytes in front of the parameters.
  static var headByteCount: Int { 4 }

  /// A command without parameters; append them.
  public init(_ opcode: Opcode) {
    storage = InlineArray(repeating: 0)
    storage[0] = PacketKind.command.rawValue
    storage[1] = UInt8(truncatingIfNeeded: opcode.rawValue)
    storage[2] = UInt8(truncatingIfNeeded: opcode.rawValue >> 8)
    byteCount = Self.headByteCount
  }

  public var opcode: Opcode { Opcode(rawValue: UInt16(storage[1]) | UInt16(storage[2]) << 8) }

  /// The packet, indicator first, borrowed.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { storage.span.extracting(0..<byteCount) }
  }

  /// Appends the low `count` bytes of a parameter, least significant first.
  mutating func append(_ value: UInt64, byteCount count: Int) {
    precondition(count <= 8 && byteCount + count <= Self.byteCountMax, "a command has at most 255 bytes")
    for index in 0..<count {
      storage[byteCount + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
    }
    byteCount += count
    storage[3] = UInt8(truncatingIfNeeded: byteCount - Self.headByteCount)
  }
}

extension CommandPacket: Equatable {
  public static func == (left: Self, right: Self) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    for index in 0..<left.byteCount where left.storage[index] != right.storage[index] { return false }
    return true
  }
}
