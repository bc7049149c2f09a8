// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A universally unique identifier as Bluetooth uses it: 16, 32 or 128 bits. The module `CoreBluetooth` has the same
/// type.
///
/// Short identifiers are short for a 128-bit one (Core Specification, volume 3, part B, 2.5.1). Equality and hash
/// compare that form.
public class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  /// The bytes that precede and follow the short form: `0000xxxx-0000-1000-8000-00805F9B34FB`.
  private static let base: [UInt8] = [
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0x80, 0x5F, 0x9B, 0x34, 0xFB,
  ]

  /// The identifier's bytes, most significant first: 2, 4 or 16.
  public let data: Data
  /// The 16 bytes of the 128-bit form; the bytes themselves when their number is not valid.
  package let longBytes: [UInt8]

  /// Reads 4, 8 or 32 hexadecimal digits in either case, with or without dashes; `0x` may precede 4 digits. As on iOS,
  /// any other text ends the program with a message.
  public convenience init(string: String) {
    guard let bytes = Self.bytes(of: string) else {
      FileHandle.standardError.write(Data("CBUUID(string: \(string.debugDescription)) is not a UUID\n".utf8))
      preconditionFailure("a UUID has 4, 8 or 32 hexadecimal digits")
    }
    self.init(bytes: bytes)
  }

  /// The identifier that a text names; nil when it names none.
  package convenience init?(text: String) {
    guard let bytes = Self.bytes(of: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// Takes 2, 4 or 16 bytes, most significant first. With any other number the identifier equals no valid one, and the
  /// agent refuses calls that use it.
  public convenience init(data: Data) { self.init(bytes: [UInt8](data)) }

  /// Takes the 16 bytes of a UUID.
  public convenience init(nsuuid: UUID) {
    let uuid = nsuuid.uuid
    self.init(bytes: [
      uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7, uuid.8, uuid.9, uuid.10, uuid.11,
      uuid.12,
      uuid.13, uuid.14, uuid.15,
    ])
  }

  package init(bytes: [UInt8]) {
    data = Data(bytes)
    longBytes =
      switch bytes.count {
      case 2: [0, 0] + bytes + Self.base[4...]
      case 4: bytes + Self.base[4...]
      default: bytes
      }
  }

  /// Upper-case hexadecimal digits: 4, 8, or 8-4-4-4-12.
  public var uuidString: String {
    var text = ""
    for (index, byte) in data.enumerated() {
      if data.count == 16, [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return text
  }

  /// The bytes of a text with 4, 8 or 32 digits; nil for any other text.
  private static func bytes(of text: String) -> [UInt8]? {
    var digits = text.filter { $0 != "-" }
    if digits.count == 6, digits.lowercased().hasPrefix("0x") { digits.removeFirst(2) }
    guard [4, 8, 32].contains(digits.utf8.count) else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      guard digit.isASCII, let value = digit.hexDigitValue.map({ UInt8($0) }) else { return nil }
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    return bytes
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.longBytes == longBytes }

  public override var hash: Int { longBytes.hashValue }

  public override var description: String { uuidString }
}

// What Foundation declares on iOS, and not on Linux.

/// Seconds since 1 January 2001.
public typealias CFAbsoluteTime = Double

/// The time now.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
