// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What a network's beacons or probe responses say in information elements: one byte with the kind, one with the
/// length, then the body (IEEE 802.11-2020, 9.4.2.1). Elements that concern neither name nor security are passed over.
///
/// An element that is cut, or whose body is malformed, ends the reading of that element and of nothing before it.
public struct InformationElements: Equatable, Sendable {
  /// How stations prove that they may join.
  private struct KeyManagement: Equatable {
    var hasPassphrase = false
    var hasSAE = false
    var hasAccounts = false
    var hasOWE = false
  }

  private enum Kind {
    static let name: UInt8 = 0
    static let rsn: UInt8 = 48
    static let vendor: UInt8 = 221
  }

  /// The prefix of suites of the standard, 00-0F-AC, and of the first WPA, 00-50-F2, least significant byte first.
  private static let standardSuites: UInt32 = 0xAC_0F00
  private static let vendorSuites: UInt32 = 0xF2_5000

  /// The first name that there is.
  public private(set) var name: NetworkName?
  /// Whether the first name has more than 32 bytes, so that it is none.
  public private(set) var isNameTooLong = false
  /// Whether the last element ends before its length says.
  public private(set) var isTruncated = false
  /// WPA2 or WPA3.
  private var rsn: KeyManagement?
  /// The first WPA.
  private var wpa: KeyManagement?

  public init() {}

  public init(_ bytes: RawSpan) { append(bytes) }

  /// Reads further elements of the same network: a source may deliver them in pieces, each of whole elements.
  public mutating func append(_ bytes: RawSpan) {
    var cursor = ByteCursor(bytes)
    while let kind = cursor.uint8() {
      guard let byteCount = cursor.uint8(), let body = cursor.bytes(Int(byteCount)) else {
        isTruncated = true
        return
      }
      receive(kind, body)
    }
  }

  private mutating func receive(_ kind: UInt8, _ body: RawSpan) {
    switch kind {
    case Kind.name where name == nil && !isNameTooLong:
      name = NetworkName(body)
      isNameTooLong = name == nil
    case Kind.rsn where rsn == nil: rsn = Self.keyManagement(body, suites: Self.standardSuites)
    case Kind.vendor where wpa == nil:
      // 00-50-F2, type 1: the first WPA; what follows has the form of an RSN element.
      guard body.byteCount >= 4, body.uint32(at: 0) == Self.vendorSuites | 1 << 24 else { return }
      wpa = Self.keyManagement(body.slice(at: 4, count: body.byteCount - 4), suites: Self.vendorSuites)
    default: break
    }
  }

  /// Version, group cipher, pairwise ciphers, and the suites of authentication and key management (9.4.2.24). What is
  /// missing at the end is unknown.
  private static func keyManagement(_ bytes: RawSpan, suites prefix: UInt32) -> KeyManagement {
    var found = KeyManagement()
    var cursor = ByteCursor(bytes)
    guard cursor.skip(6), let ciphers = cursor.uint16(), cursor.skip(4 * Int(ciphers)),
      let suiteCount = cursor.uint16()
    else { return found }
    for _ in 0..<suiteCount {
      guard let suite = cursor.uint32() else { break }
      guard suite & 0xFF_FFFF == prefix else { continue }
      // Table 9-151; of the first WPA there are only 1 and 2, which mean the same.
      switch suite >> 24 {
      case 1, 3, 5, 11, 12, 13, 22, 23: found.hasAccounts = true
      case 2, 4, 6, 19, 20: found.hasPassphrase = true
      case 8, 9, 24, 25: found.hasSAE = true
      case 18: found.hasOWE = true
      default: break
      }
    }
    return found
  }

  /// How the network is protected. `isPrivate` is the privacy bit of its capabilities.
  public func security(isPrivate: Bool) -> WirelessSecurity {
    if let wpa, wpa.hasPassphrase { return .wpa }
    if let rsn {
      if rsn.hasPassphrase { return .wpa2 }
      if rsn.hasSAE { return .wpa3 }
      if rsn.hasOWE { return .owe }
    }
    if rsn?.hasAccounts == true || wpa?.hasAccounts == true { return .enterprise }
    if rsn != nil || wpa != nil { return .other }
    return isPrivate ? .wep : .open
  }
}
