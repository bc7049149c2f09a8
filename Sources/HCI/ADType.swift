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
  /// The first octet; later octets are reserved. An absent octet counts as zero.
  case flags(UInt8)
  case services(UUIDList)
  case solicitations(UUIDList)
  /// UTF-8 as the advertiser sent it, which may be ill-formed.
  case name(RawSpan, isComplete: Bool)
  /// dBm.
  case txPowerLevel(Int8)
  case serviceData(BluetoothUUID, RawSpan)
  case appearance(UInt16)
  /// The payload starts behind the company identifier.
  case manufacturerData(companyIdentifier: UInt16, RawSpan)
  case other(RawSpan)
}

extension ADStructure {
  /// Reads the value by its type; a size the type does not allow loses only this value.
  @inlinable
  @_lifetime(copy self)
  public func decoded() throws(Malformation) -> ADValue {
    switch type {
    case ADType.flags.rawValue: return .flags(value.byteCount > 0 ? value.uint8(at: 0) : 0)
    case ADType.incompleteServices16.rawValue, ADType.completeServices16.rawValue:
      return .services(try list(2))
    case ADType.incompleteServices32.rawValue, ADType.completeServices32.rawValue:
      return .services(try list(4))
    case ADType.incompleteServices128.rawValue, ADType.completeServices128.rawValue:
      return .services(try list(16))
    case ADType.solicitation16.rawValue: return .solicitations(try list(2))
    case ADType.solicitation32.rawValue: return .solicitations(try list(4))
    case ADType.solicitation128.rawValue: return .solicitations(try list(16))
    case ADType.shortenedName.rawValue: return .name(value, isComplete: false)
    case ADType.completeName.rawValue: return .name(value, isComplete: true)
    case ADType.txPowerLevel.rawValue:
      try require(value.byteCount == 1)
      return .txPowerLevel(Int8(bitPattern: value.uint8(at: 0)))
    case ADType.appearance.rawValue:
      try require(value.byteCount == 2)
      return .appearance(value.uint16(at: 0))
    case ADType.serviceData16.rawValue:
      return .serviceData(BluetoothUUID(short: UInt32(try key16())), bytesAfterKey(2))
    case ADType.serviceData32.rawValue:
      return .serviceData(BluetoothUUID(short: try key32()), bytesAfterKey(4))
    case ADType.serviceData128.rawValue: return .serviceData(try key128(), bytesAfterKey(16))
    case ADType.manufacturerData.rawValue:
      return .manufacturerData(companyIdentifier: try key16(), bytesAfterKey(2))
    default: return .other(value)
    }
  }

  @inlinable
  @inline(__always)
  func require(_ fits: Bool) throws(Malformation) {
    guard fits else { throw Malformation(offset: offset, kind: .wrongSize) }
  }

  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  func list(_ elementByteCount: Int) throws(Malformation) -> UUIDList {
    try require(byteCount == 0 || byteCount >= elementByteCount)
    return UUIDList(value, elementByteCount: elementByteCount)
  }

  /// The company identifier or 16-bit UUID in front of manufacturer or service data.
  @inlinable
  @inline(__always)
  public func key16() throws(Malformation) -> UInt16 {
    try require(byteCount >= 2)
    // Holds: the value lies inside the payload and has two octets.
    return unsafe payload.uncheckedUInt16(at: offset &+ 2)
  }

  /// The 32-bit UUID in front of service data.
  @inlinable
  @inline(__always)
  public func key32() throws(Malformation) -> UInt32 {
    try require(byteCount >= 4)
    return payload.uint32(at: offset &+ 2)
  }

  /// The 128-bit UUID in front of service data.
  @inlinable
  public func key128() throws(Malformation) -> BluetoothUUID {
    try require(byteCount >= 16)
    return BluetoothUUID(high: payload.uint64(at: offset &+ 10), low: payload.uint64(at: offset &+ 2))
  }

  /// What follows a key of so many octets, which has been read.
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

/// A list of UUIDs of one size, borrowed: 2, 4 or 16 octets each, least significant first.
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
  /// Reads 2, 4 or 16 octets, least significant first; no other count is a UUID.
  @inlinable
  @inline(__always)
  public init(bytes: RawSpan) {
    switch bytes.byteCount {
    case 2: self.init(short: UInt32(bytes.uint16(at: 0)))
    case 4: self.init(short: bytes.uint32(at: 0))
    default:
      precondition(bytes.byteCount == 16, "a UUID has 2, 4 or 16 octets")
      self.init(high: bytes.uint64(at: 8), low: bytes.uint64(at: 0))
    }
  }
}
