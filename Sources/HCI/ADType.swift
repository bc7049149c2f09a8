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
    guard let known = ADType(rawValue: type) else { return .other(value) }
    switch known {
    case .flags: return .flags(value.byteCount > 0 ? value.uint8(at: 0) : 0)
    case .incompleteServices16, .completeServices16: return .services(try list(2))
    case .incompleteServices32, .completeServices32: return .services(try list(4))
    case .incompleteServices128, .completeServices128: return .services(try list(16))
    case .solicitation16: return .solicitations(try list(2))
    case .solicitation32: return .solicitations(try list(4))
    case .solicitation128: return .solicitations(try list(16))
    case .shortenedName: return .name(value, isComplete: false)
    case .completeName: return .name(value, isComplete: true)
    case .txPowerLevel:
      try require(value.byteCount == 1)
      return .txPowerLevel(Int8(bitPattern: value.uint8(at: 0)))
    case .appearance:
      try require(value.byteCount == 2)
      return .appearance(value.uint16(at: 0))
    case .serviceData16: return try serviceData(keyByteCount: 2)
    case .serviceData32: return try serviceData(keyByteCount: 4)
    case .serviceData128: return try serviceData(keyByteCount: 16)
    case .manufacturerData:
      try require(value.byteCount >= 2)
      return .manufacturerData(companyIdentifier: value.uint16(at: 0), value.extracting(droppingFirst: 2))
    }
  }

  @inlinable
  func require(_ fits: Bool) throws(Malformation) {
    guard fits else { throw Malformation(offset: offset, kind: .wrongSize) }
  }

  @inlinable
  @_lifetime(copy self)
  func list(_ elementByteCount: Int) throws(Malformation) -> UUIDList {
    try require(value.byteCount == 0 || value.byteCount >= elementByteCount)
    return UUIDList(value, elementByteCount: elementByteCount)
  }

  @inlinable
  @_lifetime(copy self)
  func serviceData(keyByteCount: Int) throws(Malformation) -> ADValue {
    try require(value.byteCount >= keyByteCount)
    let key = BluetoothUUID(bytes: value.extracting(first: keyByteCount))
    return .serviceData(key, value.extracting(droppingFirst: keyByteCount))
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
  public var isCut: Bool { bytes.byteCount % elementByteCount != 0 }

  @inlinable
  public subscript(_ index: Int) -> BluetoothUUID {
    let start = index &* elementByteCount
    return BluetoothUUID(bytes: bytes.extracting(start..<(start &+ elementByteCount)))
  }
}

extension BluetoothUUID {
  /// Reads 2, 4 or 16 octets, least significant first; no other count is a UUID.
  @inlinable
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
