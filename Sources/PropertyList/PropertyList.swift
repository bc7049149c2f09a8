// SPDX-License-Identifier: GPL-3.0-or-later

/// A value of a property list, as far as an app's declarations need it.
public indirect enum PropertyList: Equatable, Sendable {
  case dictionary([String: PropertyList])
  case array([PropertyList])
  case string(String)
  case integer(Int64)
  case bool(Bool)
  /// A number with a fraction, a date, or data.
  case other

  /// The deepest nesting, the number of values, and the bytes of all texts, of a list that is read.
  static let depthMax = 32
  static let valuesMax = 65_536
  static let textBytesMax = 4 << 20

  /// Reads a property list in the XML or the binary format.
  public static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    if bytes.starts(with: Array("bplist00".utf8)) { return try BinaryPropertyList.read(bytes) }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard let first = text.first(where: { !$0.isXMLSpace }), first == UInt8(ascii: "<") else {
      throw .otherFormat
    }
    return try XMLPropertyList.read(text)
  }
}

/// Why a property list cannot be read.
public enum PropertyListError: Error, Equatable, Sendable {
  /// It is neither XML in UTF-8 nor binary: the old format with braces, JSON, or no property list at all.
  case otherFormat
  /// It is damaged or incomplete at this byte.
  case malformed(offset: Int)
  /// It is nested more deeply, or has more values, than an app's declarations.
  case tooLarge

  /// What is wrong, without a full stop.
  public var reason: String {
    switch self {
    case .otherFormat: "it is neither an XML nor a binary property list"
    case .malformed(let offset): "it is no whole property list: see byte \(offset)"
    case .tooLarge: "it has more values, or deeper ones, than an app's declarations"
    }
  }

  /// What to do about it.
  public var cure: String {
    switch self {
    case .otherFormat: "convert it with plutil -convert xml1, or with plistutil of libplist-utils"
    case .malformed: "compare it with the app's own; plutil -lint finds mistakes"
    case .tooLarge: "take the Info.plist of the app"
    }
  }
}

extension UInt8 {
  var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
