// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A device's Bluetooth address in JSON: the members `address` and `addressType`.
public struct WireAddress: Hashable, Sendable {
  /// The types of the Core Specification 5.4, Volume 4, Part E, 7.7.65.13.
  public enum Kind: String, CaseIterable, Sendable {
    case `public`, random
    /// An identity address that the controller resolved from a private one.
    case publicIdentity, randomIdentity
    /// Extended advertising without an address.
    case anonymous
  }

  /// 48 bits: the byte that is written first is the most significant one. 0 for an anonymous advertiser.
  public let bits: UInt64
  public let type: Kind

  public init(bits: UInt64, type: Kind) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
    self.type = type
  }

  /// `AA:BB:CC:DD:EE:FF`, the most significant byte first; nil for an anonymous advertiser, which has none.
  public var text: String? {
    type == .anonymous ? nil : Self.text(ofBits: bits)
  }

  private static func text(ofBits bits: UInt64) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(17)
    for position in (0..<12).reversed() {
      if text.count % 3 == 2 { text.append(UInt8(ascii: ":")) }
      let value = UInt8(truncatingIfNeeded: bits >> UInt64(4 * position)) & 0xF
      text.append(Hex.digit(value, a: UInt8(ascii: "A")))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bits of six pairs of hexadecimal digits between colons; nil for anything else.
  static func bits(ofText text: String) -> UInt64? {
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.map(\.utf8.count) == [2, 2, 2, 2, 2, 2] else { return nil }
    return Hex(digits: pairs.joined())?.bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension JSONWriter {
  /// The members `address` and `addressType`, for a device that has an address; an anonymous one has a type alone.
  public mutating func members(_ address: WireAddress?) {
    member("address", address?.text)
    member("addressType", address?.type.rawValue)
  }
}

extension JSONObjectReader {
  /// An address and its type. Without an address it is an anonymous advertiser's.
  public func address() throws(JSONMemberError) -> WireAddress {
    let type = try value("addressType", of: WireAddress.Kind.allCases, \.rawValue)
    guard let text = try stringIfPresent("address") else {
      guard type == .anonymous else { throw error("address", .wrongType) }
      return WireAddress(bits: 0, type: .anonymous)
    }
    guard type != .anonymous, let bits = WireAddress.bits(ofText: text) else {
      throw error("address", .unknownValue)
    }
    return WireAddress(bits: bits, type: type)
  }

  /// An address that is not anonymous.
  public func knownAddress() throws(JSONMemberError) -> WireAddress {
    let address = try address()
    guard address.type != .anonymous else { throw error("addressType", .unknownValue) }
    return address
  }

  /// An address that is not anonymous, or nil when both members are absent.
  public func knownAddressIfPresent() throws(JSONMemberError) -> WireAddress? {
    guard valueIfPresent("address") != nil || valueIfPresent("addressType") != nil else { return nil }
    return try knownAddress()
  }
}
