// SPDX-License-Identifier: GPL-3.0-or-later

/// The calls that are sent to the bus, and the replies that come back (D-Bus specification 0.43, "Message Format").
enum BusMessage {
  /// The types of messages.
  private enum Kind: UInt8 {
    case call = 1
    case reply = 2
    case error = 3
  }

  /// The fields of a header.
  private enum Field: UInt64 {
    case path = 1
    case interface = 2
    case member = 3
    case errorName = 4
    case replySerial = 5
    case destination = 6
    case signature = 8
  }

  /// The first fields of every header: byte order, type, flags, version, length of the body, serial, length of the array
  /// of fields.
  static let headByteCount = 16
  /// More than a thousand devices of bluetoothd; a longer message is an error.
  static let byteCountMax = 8 << 20

  /// Returns a call without arguments, in little-endian order.
  static func call(_ member: String, _ interface: String, path: String, to destination: String, serial: UInt8)
    -> [UInt8]
  {
    var fields: [UInt8] = []
    let texts: [(Field, Character, String)] = [
      (.path, "o", path), (.interface, "s", interface), (.member, "s", member),
      (.destination, "s", destination),
    ]
    for (field, type, text) in texts {
      // Each field is a structure, which begins at a multiple of eight.
      fields += [UInt8](repeating: 0, count: (8 - fields.count % 8) % 8)
      fields += [UInt8(field.rawValue), 1, type.asciiValue ?? 0, 0]
      fields += number(text.utf8.count) + Array(text.utf8) + [0]
    }
    let head: [UInt8] =
      [UInt8(ascii: "l"), Kind.call.rawValue, 0, 1] + number(0) + [serial, 0, 0, 0] + number(fields.count)
    let padding = [UInt8](repeating: 0, count: (8 - fields.count % 8) % 8)
    return head + fields + padding
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns how many bytes the message has that begins with these; nil while there are too few to tell.
  static func byteCount(of bytes: [UInt8]) throws(BusError) -> Int? {
    guard bytes.count >= headByteCount else { return nil }
    var head = try reader(of: bytes, from: 4)
    let lengths = try head.values(of: "uuu").compactMap { $0.number.map { Int($0) } }
    let count = headByteCount + (lengths[2] + 7) / 8 * 8 + lengths[0]
    guard count <= byteCountMax else { throw .malformed }
    return count
  }

  /// Takes the first message off the bytes that were received; nil while it is not whole.
  static func takeFirst(of received: inout [UInt8]) throws(BusError) -> [UInt8]? {
    guard let count = try byteCount(of: received), received.count >= count else { return nil }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// Returns the first value in the body of the reply to the call with this serial; nil for another message.
  static func reply(in bytes: [UInt8], to serial: UInt8) throws(BusError) -> BusValue? {
    var reader = try reader(of: bytes, from: 12)
    let fields = try reader.values(of: "a(yv)")[0].elements
    try reader.align(to: 8)
    guard value(of: .replySerial, in: fields)?.number == UInt64(serial) else { return nil }
    switch Kind(rawValue: bytes[1]) {
    case .reply:
      let signature = value(of: .signature, in: fields)?.string ?? ""
      return try reader.values(of: signature).first ?? .structure([])
    case .error: throw .refused(value(of: .errorName, in: fields)?.string ?? "")
    case .call, nil: return nil
    }
  }

  private static func reader(of bytes: [UInt8], from offset: Int) throws(BusError) -> BusReader {
    switch bytes.first {
    case UInt8(ascii: "l"): BusReader(bytes, from: offset, isBigEndian: false)
    case UInt8(ascii: "B"): BusReader(bytes, from: offset, isBigEndian: true)
    default: throw .malformed
    }
  }

  private static func value(of field: Field, in fields: [BusValue]) -> BusValue? {
    for case .structure(let parts) in fields where parts.first?.number == field.rawValue { return parts.last }
    return nil
  }
}
