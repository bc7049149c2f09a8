// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The parameters of `ImportBond` of `io.accessoryd.Operator`. Keys are hexadecimal digits of their bytes, the least
/// significant first.
public struct ImportedBondLine: Equatable, Line {
  public enum Owner: String, CaseIterable, Sendable {
    case gateway, bluetoothd
  }

  /// An identity address, AA:BB:CC:DD:EE:FF.
  public var device: String
  public var isRandom: Bool
  public var owner: Owner
  /// For a bond of bluetoothd; nil for one of the gateway, whose keys say it.
  public var isAuthenticated: Bool?
  /// Sixteen bytes.
  public var identityKey: Hex?
  /// At most two.
  public var longTermKeys: [LongTermKeyLine] = []
  public var linkKey: LinkKeyLine?

  public init(device: String, isRandom: Bool, owner: Owner) {
    self.device = device
    self.isRandom = isRandom
    self.owner = owner
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("device", device)
    json.member("addressType", isRandom ? "random" : "public")
    json.member("owner", owner.rawValue)
    if let isAuthenticated { json.member("isAuthenticated", isAuthenticated) }
    if let identityKey { json.member("identityKey", identityKey.text) }
    if !longTermKeys.isEmpty { json.objects("longTermKeys", longTermKeys) }
    if let linkKey { json.object("linkKey", linkKey) }
  }
}

extension ImportedBondLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    let isRandom = try line.value("addressType", of: ["public", "random"], \.self) == "random"
    self.init(
      device: try line.string("device"), isRandom: isRandom,
      owner: try line.value("owner", of: Owner.allCases, \.rawValue))
    isAuthenticated = try line.boolIfPresent("isAuthenticated")
    identityKey = try line.keyIfPresent("identityKey", byteCount: 16)
    longTermKeys = try line.linesIfPresent("longTermKeys") ?? []
    linkKey = try line.lineIfPresent("linkKey")
  }
}

/// A long term key: `LongTermKey` of `io.accessoryd.Operator`.
public struct LongTermKeyLine: Equatable, ReadableLine {
  public var kind: UInt8
  public var isCentral: Bool
  public var byteCount: UInt8
  public var diversifier: UInt16
  /// Eight bytes.
  public var random: Hex
  /// Sixteen bytes.
  public var value: Hex

  public init(
    kind: UInt8, isCentral: Bool, byteCount: UInt8, diversifier: UInt16, random: Hex, value: Hex
  ) {
    self.kind = kind
    self.isCentral = isCentral
    self.byteCount = byteCount
    self.diversifier = diversifier
    self.random = random
    self.value = value
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      kind: try line.integer("kind"), isCentral: try line.bool("isCentral"),
      byteCount: try line.integer("byteCount"), diversifier: try line.integer("diversifier"),
      random: try line.key("random", byteCount: 8), value: try line.key("value", byteCount: 16))
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("kind", Int(kind))
    json.member("isCentral", isCentral)
    json.member("byteCount", Int(byteCount))
    json.member("diversifier", Int(diversifier))
    json.member("random", random.text)
    json.member("value", value.text)
  }
}

/// A key for BR/EDR: `linkKey` of `ImportBond`.
public struct LinkKeyLine: Equatable, ReadableLine {
  public var kind: UInt8
  public var pinByteCount: UInt8
  /// Sixteen bytes.
  public var value: Hex

  public init(kind: UInt8, pinByteCount: UInt8, value: Hex) {
    self.kind = kind
    self.pinByteCount = pinByteCount
    self.value = value
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      kind: try line.integer("kind"), pinByteCount: try line.integer("pinByteCount"),
      value: try line.key("value", byteCount: 16))
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("kind", Int(kind))
    json.member("pinByteCount", Int(pinByteCount))
    json.member("value", value.text)
  }
}

extension JSONObjectReader {
  fileprivate func key(_ name: String, byteCount: Int) throws(JSONMemberError) -> Hex {
    guard let key = try keyIfPresent(name, byteCount: byteCount) else { throw error(name, .missing) }
    return key
  }

  fileprivate func keyIfPresent(_ name: String, byteCount: Int) throws(JSONMemberError) -> Hex? {
    guard let digits = try stringIfPresent(name) else { return nil }
    guard let key = Hex(digits: digits), key.bytes.count == byteCount else {
      throw error(name, .unknownValue)
    }
    return key
  }
}
