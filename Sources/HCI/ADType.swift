// SPDX-License-Identifier: GPL-3.0-or-later

/// The AD types this project reads (Assigned Numbers, 2.3, Common Data Types; layouts in the Supplement to the Core
/// Specification, Part A). Any other type is carried as it is.
@frozen
public enum ADType: UInt8, Sendable, BitwiseCopyable {
  case flags = 0x01
  case incompleteServices16 = 0x02
  case completeServices16 = 0x03
  case incompleteServices32 = 0x04
  case completeServices32 = 0x05
  case incompleteServices128 = 0x06
  case completeServices128 = 0x07
  case shortenedName = 0x08
  case completeName = 0x09
  case txPowerLevel = 0x0A
  case solicitation16 = 0x14
  case solicitation128 = 0x15
  case serviceData16 = 0x16
  case appearance = 0x19
  case solicitation32 = 0x1F
  case serviceData32 = 0x20
  case serviceData128 = 0x21
  case manufacturerData = 0xFF
}

/// The value of one AD structure, borrowed and measured.
@frozen
public enum ADValue: ~Escapable {
  /// The first byte; later bytes are reserved. An absent byte counts as zero.
  case flags(UInt8)
  case services(UUIDList)
  case solicitations(UUIDList)
  /// UTF-8 as the advertiser sent it, which may be ill-formed, without the NULs at its end, which pad it.
  case name(RawSpan, isComplete: Bool)
  /// dBm.
  case txPowerLevel(Int8)
  case serviceData(BluetoothUUID, RawSpan)
  case appearance(UInt16)
  /// The payload starts after the company identifier.
  case manufacturerData(companyIdentifier: UInt16, RawSpan)
  case other(RawSpan)
}

extension ADStructure {
  /// Reads the value by its type; a size the type does not allow loses only this value.
  @inlinable
  @_lifetime(copy self)
  public func decoded() throws(MalformedStructureError) -> ADValue {
    var cursor = ByteCursor(value)
    switch ADType(rawValue: type) {
    case .flags: return .flags(cursor.uint8() ?? 0)
    case .incompleteServices16, .completeServices16: return .services(try list(2))
    case .incompleteServices32, .completeServices32: return .services(try list(4))
    case .incompleteServices128, .completeServices128: return .services(try list(16))
    case .solicitation16: return .solicitations(try list(2))
    case .solicitation32: return .solicitations(try list(4))
    case .solicitation128: return .solicitations(try list(16))
    case .shortenedName: return .name(value.withoutTrailingNULs, isComplete: false)
    case .completeName: return .name(value.withoutTrailingNULs, isComplete: true)
    case .txPowerLevel:
      guard byteCount == 1, let power = cursor.int8() else { throw wrongSize }
      return .txPowerLevel(power)
    case .appearance:
      guard byteCount == 2, let appearance = cursor.uint16() else { throw wrongSize }
      return .appearance(appearance)
    case .serviceData16:
      guard let uuid = cursor.uint16() else { throw wrongSize }
      return .serviceData(BluetoothUUID(short: UInt32(uuid)), cursor.rest)
    case .serviceData32:
      guard let uuid = cursor.uint32() else { throw wrongSize }
      return .serviceData(BluetoothUUID(short: uuid), cursor.rest)
    case .serviceData128:
      guard let low = cursor.uint64(), let high = cursor.uint64() else { throw wrongSize }
      return .serviceData(BluetoothUUID(high: high, low: low), cursor.rest)
    case .manufacturerData:
      guard let company = cursor.uint16() else { throw wrongSize }
      return .manufacturerData(companyIdentifier: company, cursor.rest)
    case nil: return .other(value)
    }
  }

  /// The error for a value whose size its type does not allow.
  @inlinable
  public var wrongSize: MalformedStructureError { MalformedStructureError(offset: offset, kind: .wrongSize) }

  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  func list(_ elementByteCount: Int) throws(MalformedStructureError) -> UUIDList {
    guard byteCount == 0 || byteCount >= elementByteCount else { throw wrongSize }
    return UUIDList(value, elementByteCount: elementByteCount)
  }
}

// The frequent kinds of structure are matched without the cursor, whose checks cost 14 % more instructions
// for each report (Scripts/bench, match).
extension ADStructure {
  /// The company identifier or 16-bit UUID in front of manufacturer or service data.
  @inlinable
  @inline(__always)
  public func key16() throws(MalformedStructureError) -> UInt16 {
    guard byteCount >= 2 else { throw wrongSize }
    // Holds: the value lies inside the payload and has two bytes.
    return unsafe payload.uncheckedUInt16(at: offset &+ 2)
  }

  /// What follows a key of `keyByteCount` bytes, which has been read.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public func bytesAfterKey(_ keyByteCount: Int) -> RawSpan {
    precondition(keyByteCount <= byteCount)
    // Holds: the value lies inside the payload, and the key inside the value.
    return unsafe payload.uncheckedSlice(at: offset &+ 2 &+ keyByteCount, count: byteCount &- keyByteCount)
  }

  /// One element of a list of 16-bit UUIDs.
  @inlinable
  @inline(__always)
  public func element16(_ index: Int) -> UInt16 {
    precondition(index >= 0 && 2 &* index <= byteCount &- 2)
    // Holds: the value lies inside the payload, and the element inside the value.
    return unsafe payload.uncheckedUInt16(at: offset &+ 2 &+ 2 &* index)
  }
}

/// A list of UUIDs of one size, borrowed: 2, 4 or 16 bytes each, least significant first.
///
/// A list that ends inside a UUID loses that one; those before it are good.
@frozen
public struct UUIDList: ~Escapable {
  @usableFromInline let bytes: RawSpan
  public let elementByteCount: Int

  @inlinable
  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, elementByteCount: Int) {
    self.bytes = bytes
    self.elementByteCount = elementByteCount
  }

  @inlinable
  public var count: Int { bytes.byteCount / elementByteCount }

  /// Whether the list ends inside a UUID, which is a loss of kind `wrongSize`.
  @inlinable
  public var isTruncated: Bool { bytes.byteCount % elementByteCount != 0 }

  @inlinable
  public subscript(_ index: Int) -> BluetoothUUID {
    @inline(__always)
    get { BluetoothUUID(bytes: bytes.slice(at: index &* elementByteCount, count: elementByteCount)) }
  }
}

extension BluetoothUUID {
  /// Reads 2, 4 or 16 bytes, least significant first; no other count is a UUID.
  @inlinable
  @inline(__always)
  public init(bytes: RawSpan) {
    var cursor = ByteCursor(bytes)
    switch bytes.byteCount {
    case 2: self.init(short: UInt32(cursor.uint16() ?? 0))
    case 4: self.init(short: cursor.uint32() ?? 0)
    default:
      precondition(bytes.byteCount == 16, "a UUID has 2, 4 or 16 bytes")
      let low = cursor.uint64() ?? 0
      self.init(high: cursor.uint64() ?? 0, low: low)
    }
  }
}
