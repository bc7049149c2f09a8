// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What distinguishes one frame from others: a frame is the advertising data or the scan response of one advertising set.
///
/// Frames are of one kind when set, part, and the list of AD types with their company identifiers and UUIDs are the
/// same; for Eddystone and Apple also the frame's type byte. The hashes need no secret: a sender that makes two of them
/// collide hides a change of its own device.
struct FrameIdentity: Equatable, BitwiseCopyable {
  /// A hash of what the kind is made of.
  private(set) var kind: UInt32 = 0
  /// A hash of all bytes, of the part and the set.
  let content: UInt32
  /// The packet number that the frame states in the clear, if its layout has one (BTHome).
  private(set) var packetNumber: UInt8?

  private static var eddystone: UInt16 { 0xFEAA }
  private static var apple: UInt16 { 0x004C }
  private static var btHome: UInt16 { 0xFCD2 }
  /// Version 1, in the clear and encrypted.
  private static var btHome1: UInt16 { 0x181C }
  private static var encryptedBTHome1: UInt16 { 0x181E }

  init(kind: UInt32, content: UInt32) {
    self.kind = kind
    self.content = content
  }

  /// The hash of a frame's bytes, of the part and the set: frames that agree in it are the same.
  static func content(_ payload: RawSpan, _ part: PayloadPart, ofSet bit: UInt32) -> UInt32 {
    UInt32(
      truncatingIfNeeded: mix(hash(payload, payload.byteCount), UInt64(bit) << 1 | UInt64(part.rawValue)))
  }

  init(_ payload: RawSpan, _ part: PayloadPart, ofSet bit: UInt32) {
    content = Self.content(payload, part, ofSet: bit)
    var hash = Self.mix(UInt64(bit), UInt64(part.rawValue))
    var structures = ADStructures(payload)
    while true {
      do throws(MalformedStructureError) {
        guard let structure = try structures.next() else { break }
        hash = Self.mix(hash, UInt64(structure.type))
        addKey(of: structure, to: &hash)
      } catch {
        hash = Self.mix(hash, .max)
      }
    }
    kind = UInt32(truncatingIfNeeded: hash)
  }

  /// Adds the part of a structure's value that belongs to the kind.
  private mutating func addKey(of structure: ADStructure, to hash: inout UInt64) {
    let value = structure.value
    switch ADType(rawValue: structure.type) {
    case .manufacturerData: hash = Self.mix(hash, Self.key(of: value, typed: Self.apple))
    case .serviceData16:
      hash = Self.mix(hash, Self.key(of: value, typed: Self.eddystone))
      if value.byteCount >= 5 { readPacketNumber(value) }
    case .serviceData32: hash = Self.mix(hash, Self.hash(value, 4))
    case .serviceData128: hash = Self.mix(hash, Self.hash(value, 16))
    case .incompleteServices16, .completeServices16, .incompleteServices32, .completeServices32,
      .incompleteServices128, .completeServices128, .solicitation16, .solicitation32, .solicitation128:
      hash = Self.mix(hash, Self.hash(value, value.byteCount))
    case .flags, .shortenedName, .completeName, .txPowerLevel, .appearance, nil: break
    }
  }

  /// The company identifier or UUID of 16 bits that a value begins with; of `typed`, the next byte too.
  private static func key(of value: RawSpan, typed: UInt16) -> UInt64 {
    let bytes = value.paddedUInt64(at: 0)
    return bytes & (UInt16(truncatingIfNeeded: bytes) == typed ? 0xFF_FFFF : 0xFFFF)
  }

  /// BTHome: UUID, device information (bit 0: encrypted; bits 5 to 7: version 2), then objects, smallest number first. Of
  /// version 1 an object has its length before its number, and what is encrypted ends with a counter and four bytes of MIC.
  private mutating func readPacketNumber(_ value: RawSpan) {
    switch value.uint16(at: 0) {
    case Self.btHome where value.uint8(at: 2) & 0xE1 == 0x40 && value.uint8(at: 3) == 0:
      packetNumber = value.uint8(at: 4)
    case Self.encryptedBTHome1 where value.byteCount > 10:
      packetNumber = value.uint8(at: value.byteCount - 8)
    case Self.btHome1, Self.encryptedBTHome1:
      var place = 2
      while place + 2 < value.byteCount {
        // Two bytes of which the first is number 0x00; the upper three bits are a kind.
        if value.uint16(at: place) & 0xFF1F == 2 { return packetNumber = value.uint8(at: place + 2) }
        place += 1 + Int(value.uint8(at: place) & 0x1F)
      }
    default: break
    }
  }

  /// A hash of the first `count` bytes, or of all where there are fewer.
  private static func hash(_ bytes: RawSpan, _ count: Int) -> UInt64 {
    let count = min(count, bytes.byteCount)
    var hash = UInt64(truncatingIfNeeded: count)
    guard count >= 8 else { return mix(hash, bytes.extracting(first: count).paddedUInt64(at: 0)) }
    var offset = 0
    while offset &+ 8 < count {
      hash = mix(hash, bytes.uint64(at: offset))
      offset &+= 8
    }
    // The last eight bytes, some of which were taken before.
    return mix(hash, bytes.uint64(at: count &- 8))
  }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ mixed >> 32
  }
}
