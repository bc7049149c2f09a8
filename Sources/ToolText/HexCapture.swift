// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
public import HCI

/// Why a line of hex cannot be read. Lines count from 1.
public enum HexLineError: Error, Equatable, Sendable {
  case empty
  case wrongCharacter(Character, line: Int, column: Int)
  case oddDigits(count: Int, line: Int)
  /// An advertisement has more bytes than any can have.
  case tooLong(byteCount: Int, line: Int)
  /// Bytes come after those that a packet says it has.
  case bytesAfterPacket(byteCount: Int, said: Int, line: Int)
  case packetTruncated(byteCount: Int, said: Int, line: Int)
}

/// Lines of hex from a page or a log, as a btsnoop capture in memory: advertisements, each a line, and HCI packets with
/// their H4 indicator or without, which may go on in further lines.
///
/// A line may have blanks, colons, commas and 0x between its bytes. Lines of a dump, which begin with their offset, are
/// one. Advertisements are reported as those of one device, ``address``, every 100 ms.
public struct HexCapture: Sendable {
  /// Extended advertising data (Core Specification 5.4, Volume 6, Part B, 4.4.2.2).
  public static let advertisementBytesMax = 1650
  /// A static random address that no device has.
  public static let address = DeviceAddress(bits: 0xC0FF_EEC0_FFEE, type: .random)
  /// dBm
  public static let level: Int8 = -40

  private static let legacyBytesMax = 31
  private static let fragmentBytesMax = 229
  private static let intervalMicroseconds: Int64 = 100_000

  /// The file.
  public private(set) var bytes: [UInt8] = []
  /// Whether a line has only an advertisement's data: address and level are made up.
  public private(set) var hasBareData = false
  private var recordCount: Int64 = 0
  /// The bytes of a packet whose rest is in the next lines, and its first line.
  private var packet: (bytes: [UInt8], line: Int)?

  public init(_ text: String) throws(HexLineError) {
    append(Btsnoop.header(.h4).span)
    var number = 0
    var dump: [UInt8] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      if let part = HexLine.dumped(line, at: dump.count) {
        dump += part
        continue
      }
      if !dump.isEmpty { try add(dump, line: number - 1) }
      dump = HexLine.dumped(line, at: 0) ?? []
      let bytes = dump.isEmpty ? try HexLine.bytes(of: line, number) : []
      if !bytes.isEmpty { try add(bytes, line: number) }
    }
    if !dump.isEmpty { try add(dump, line: number) }
    if let packet, let said = Self.byteCount(ofPacket: packet.bytes) {
      throw .packetTruncated(byteCount: packet.bytes.count, said: said, line: packet.line)
    }
    guard recordCount > 0 else { throw .empty }
  }

  /// The text of words on a command line: those of single bytes make one line, each other one is a line of its own.
  public static func text(ofWords words: [String]) -> String {
    var lines: [String] = []
    var isInLine = false
    for word in words {
      let isByte = (HexLine.digits(of: word)?.count ?? 3) <= 2
      if isByte, isInLine { lines[lines.count - 1] += " " + word } else { lines.append(word) }
      isInLine = isByte
    }
    return lines.joined(separator: "\n")
  }

  /// Whether a word may be meant as hex.
  public static func isHex(_ word: String) -> Bool { HexLine.digits(of: word) != nil }

  private mutating func add(_ bytes: [UInt8], line: Int) throws(HexLineError) {
    var (bytes, first) = (bytes, line)
    if let packet {
      (bytes, first) = (packet.bytes + bytes, packet.line)
    } else if bytes[0] == 0x3E, bytes.count > 2, [0x02, 0x0B, 0x0D].contains(bytes[2]) {
      // A packet without its indicator.
      bytes.insert(PacketKind.event.rawValue, at: 0)
    }
    packet = nil
    guard let said = Self.byteCount(ofPacket: bytes) else { return try addAdvertisement(bytes, line: line) }
    if bytes.count < said { return packet = (bytes, first) }
    guard bytes.count == said else {
      throw .bytesAfterPacket(byteCount: bytes.count, said: said, line: line)
    }
    append(packet: bytes)
  }

  /// How many bytes a packet says that it has; nil for the data of an advertisement.
  private static func byteCount(ofPacket bytes: [UInt8]) -> Int? {
    if bytes.starts(with: [0x04, 0x3E]) { return bytes.count > 2 ? 3 + Int(bytes[2]) : 3 }
    guard let kind = bytes.first.flatMap(PacketKind.init), bytes.count > 3 else { return nil }
    let said = kind == .command ? 4 + Int(bytes[3]) : kind == .event ? 3 + Int(bytes[2]) : 0
    let isReply = kind == .command || [0x0E, 0x0F].contains(bytes[1])
    return said == bytes.count && isReply ? said : nil
  }

  private mutating func addAdvertisement(_ data: [UInt8], line: Int) throws(HexLineError) {
    guard data.count <= Self.advertisementBytesMax else {
      throw .tooLong(byteCount: data.count, line: line)
    }
    hasBareData = true
    let address = (0..<6).map { UInt8(truncatingIfNeeded: Self.address.bits >> UInt64(8 * $0)) }
    let level = UInt8(bitPattern: Self.level)
    if data.count <= Self.legacyBytesMax {
      return append(event: [0x02, 1, 0x00, 0x01] + address + [UInt8(data.count)] + data + [level])
    }
    var rest = data[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.fragmentBytesMax)
      rest = rest.dropFirst(part.count)
      // No set, no transmit power, no period, no peer; bit 5: more is to come.
      append(
        event: [0x0D, 1, rest.isEmpty ? 0x00 : 0x20, 0x00, 0x01] + address + [0x01, 0x00, 0xFF, 0x7F, level]
          + [UInt8](repeating: 0, count: 9) + [UInt8(part.count)] + part)
    }
  }

  private mutating func append(event parameters: [UInt8]) {
    append(packet: [PacketKind.event.rawValue, 0x3E, UInt8(parameters.count)] + parameters)
  }

  private mutating func append(packet: [UInt8]) {
    let kind = PacketKind(rawValue: packet[0]) ?? .event
    let flags = Btsnoop.flags(.h4, kind: kind, isReceived: kind != .command)
    let time = Instant(microseconds: recordCount * Self.intervalMicroseconds)
    append(Btsnoop.recordHeader(byteCount: packet.count, flags: flags, time: time).span)
    bytes += packet
    recordCount += 1
  }

  private mutating func append(_ span: Span<UInt8>) {
    for index in span.indices { bytes.append(span[index]) }
  }
}

/// One line of hex.
private enum HexLine {
  private static let separators = Set(":-,;._|\"'{}[]()<>")

  /// Its bytes: none in a line of nothing but separators. What comes after # is a comment.
  static func bytes(of line: Substring, _ number: Int) throws(HexLineError) -> [UInt8] {
    let line = line.prefix { $0 != "#" }
    var bytes: [UInt8] = []
    var high: UInt8?
    var count = 0
    for (column, character) in unprefixed(line).enumerated() {
      if separators.contains(character) || character.isWhitespace { continue }
      guard let digit = character.isASCII ? character.hexDigitValue.map(UInt8.init) : nil else {
        throw .wrongCharacter(character, line: number, column: column + 1)
      }
      count += 1
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { throw .oddDigits(count: count, line: number) }
    return bytes
  }

  /// The bytes of a line of a dump: after an offset of 4 to 8 digits, up to 16 bytes, and what they are as text. Bytes may
  /// stand in pairs after an offset with a colon, as xxd(1) writes them. Nil for another line, or another offset.
  static func dumped(_ line: Substring, at offset: Int) -> [UInt8]? {
    let line = line.drop(while: \.isWhitespace)
    let word = line.prefix { !$0.isWhitespace }
    let first = word.filter { $0 != ":" }
    guard (4...8).contains(first.count), UInt64(first, radix: 16) == UInt64(offset) else { return nil }
    let digitsMax = word.hasSuffix(":") ? 4 : 2
    // The text is further away than the bytes are from each other.
    let rest = line.drop { !$0.isWhitespace }.drop(while: \.isWhitespace)
    let words = rest[..<(rest.firstRange(of: "   ")?.lowerBound ?? rest.endIndex)].split(separator: " ")
    guard words.isEmpty || [2, digitsMax].contains(words[0].count) else { return nil }
    let bytes = words.map { $0.count == 2 || $0.count == digitsMax ? Hex(digits: String($0))?.bytes : nil }
    return Array(bytes.prefix { $0 != nil }.compactMap(\.self).joined().prefix(16))
  }

  /// The digits of a word; nil when it has other characters.
  static func digits(of word: String) -> String? {
    let rest = unprefixed(Substring(word)).filter { !separators.contains($0) && !$0.isWhitespace }
    return rest.allSatisfy { $0.isASCII && $0.isHexDigit } ? rest : nil
  }

  /// The line with blanks for each 0x and \x, so that columns stay.
  private static func unprefixed(_ line: Substring) -> String {
    var result = Array(line)
    for index in result.indices.dropFirst() where result[index] == "x" || result[index] == "X" {
      let isFirst = index < 2 || !result[index - 2].isHexDigit
      guard result[index - 1] == "\\" || (result[index - 1] == "0" && isFirst) else { continue }
      (result[index - 1], result[index]) = (" ", " ")
    }
    return String(result)
  }
}
