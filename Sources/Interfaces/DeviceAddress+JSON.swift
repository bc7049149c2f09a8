// SPDX-License-Identifier: Apache-2.0

public import JSON
public import Values

// A device's Bluetooth address in JSON: the members `address` and `addressType`.

extension AddressType {
  /// The words of the wire (Core Specification 5.4, Volume 4, Part E, 7.7.65.13).
  private static let words: [(AddressType, String)] = [
    (.public, "public"), (.random, "random"), (.publicIdentity, "publicIdentity"),
    (.randomIdentity, "randomIdentity"), (.anonymous, "anonymous"),
  ]

  public var word: String { Self.words.first { $0.0 == self }?.1 ?? "" }

  fileprivate static func named(_ word: String) -> AddressType? { words.first { $0.1 == word }?.0 }
}

extension JSONWriter {
  /// The members `address` and `addressType`, for a device that has an address; an anonymous one has a type alone.
  public mutating func members(_ address: DeviceAddress?) {
    member("address", address?.text)
    member("addressType", address?.type.word)
  }
}

extension JSONObjectReader {
  /// An address and its type. Without an address it is an anonymous advertiser's.
  public func address() throws(JSONMemberError) -> DeviceAddress {
    guard let type = AddressType.named(try string("addressType")) else {
      throw error("addressType", .unknownValue)
    }
    guard let text = try stringIfPresent("address") else {
      guard type == .anonymous else { throw error("address", .wrongType) }
      return DeviceAddress(bits: 0, type: .anonymous)
    }
    guard type != .anonymous, let bits = AddressText.bits(text) else {
      throw error("address", .unknownValue)
    }
    return DeviceAddress(bits: bits, type: type)
  }

  /// An address that is not anonymous.
  public func knownAddress() throws(JSONMemberError) -> DeviceAddress {
    let address = try address()
    guard address.type != .anonymous else { throw error("addressType", .unknownValue) }
    return address
  }

  /// An address that is not anonymous, or nil when both members are absent.
  public func knownAddressIfPresent() throws(JSONMemberError) -> DeviceAddress? {
    guard valueIfPresent("address") != nil || valueIfPresent("addressType") != nil else { return nil }
    return try knownAddress()
  }
}
