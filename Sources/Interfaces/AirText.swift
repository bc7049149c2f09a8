// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Text that came over the air: bytes that claim to be UTF-8 and may be anything.
///
/// In JSON a text `name` is UTF-8 with U+FFFD for every ill-formed part (the maximal subparts of Unicode 15.0, 3.9,
/// table 3-8); whenever that altered it, a member `nameHex` with the bytes follows. On terminals and in logs it is escaped and
/// cut: see ``terminal(columnsMax:)``.
public struct AirText: Equatable, Sendable {
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A piece of the text.
  package enum Part: Equatable {
    case scalar(Unicode.Scalar)
    case illFormed(ArraySlice<UInt8>)
  }

  package var parts: [Part] {
    var parts: [Part] = []
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        parts.append(.scalar(Unicode.UTF8.decode(encoded)))
        offset += encoded.count
      case .error(let length):
        parts.append(.illFormed(bytes[offset..<(offset + length)]))
        offset += length
      case .emptyInput: return parts
      }
    }
  }

  /// UTF-8, U+FFFD standing for what is ill-formed.
  public var repaired: String {
    var text = String.UnicodeScalarView()
    for part in parts {
      switch part {
      case .scalar(let scalar): text.append(scalar)
      case .illFormed: text.append("\u{FFFD}")
      }
    }
    return String(text)
  }

  /// Whether ``repaired`` says the same as the bytes.
  public var isWellFormed: Bool {
    parts.allSatisfy { part in
      if case .scalar = part { true } else { false }
    }
  }
}

extension JSONWriter {
  /// A member with text of the air, and one more, its key ending in `Hex`, when the text had to be altered.
  public mutating func member(_ key: String, _ text: AirText?) {
    guard let text else { return member(key, String?.none) }
    member(key, text.repaired)
    if !text.isWellFormed { member(key + "Hex", Hex(text.bytes)) }
  }

  /// As ``member(_:_:)``, with a network's name, in which NUL is an ordinary byte: no text of a message may hold it, so
  /// that it too is altered.
  public mutating func member(_ key: String, networkName name: AirText?) {
    guard let name, name.bytes.contains(0) else { return member(key, name) }
    // 0xFF is no byte of UTF-8 and becomes U+FFFD.
    member(key, AirText(name.bytes.map { $0 == 0 ? 0xFF : $0 }).repaired)
    member(key + "Hex", Hex(name.bytes))
  }
}

extension JSONObjectReader {
  /// Text received over the air. A member whose name ends in `Hex` has the bytes when the text had to be altered.
  public func airTextIfPresent(_ name: String) throws(JSONMemberError) -> AirText? {
    guard let text = try stringIfPresent(name) else { return nil }
    return AirText(try bytesIfPresent(name + "Hex") ?? Array(text.utf8))
  }

  public func airText(_ name: String) throws(JSONMemberError) -> AirText {
    try require(name, try airTextIfPresent(name))
  }
}
