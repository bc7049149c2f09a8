// SPDX-License-Identifier: Apache-2.0

/// A message (D-Bus specification 0.43, "Message Format").
public struct BusMessage: Equatable, Sendable {
  enum Kind: UInt8 {
    case call = 1
    case reply, error, signal
    /// A type that the specification may add, whose messages are ignored.
    case other = 255
  }

  /// The fields of a header.
  enum Field: UInt8 {
    case path = 1
    case interface, member, errorName, replySerial, destination, sender, signature, descriptorCount
  }

  private static let fieldTypes: [Field: String] = [
    .path: "o", .interface: "s", .member: "s", .errorName: "s", .replySerial: "u", .destination: "s",
    .sender: "s", .signature: "g", .descriptorCount: "u",
  ]
  private static let requiredFields: [Kind: [Field]] = [
    .call: [.path, .member], .reply: [.replySerial], .error: [.errorName, .replySerial],
    .signal: [.path, .interface, .member],
  ]

  // Flags of a call: its caller awaits no reply, and the bus starts no service for it.
  public static let isNotReplied: UInt8 = 1
  public static let startsNoService: UInt8 = 2

  let kind: Kind
  private(set) var flags: UInt8 = 0
  var serial: UInt32 = 0
  private var fields: [Field: BusValue]
  private var body: [UInt8] = []
  private var isBigEndian = false
  /// Those that came with it. Its receiver closes them.
  public internal(set) var descriptors: [Int32] = []

  public var path: String? { fields[.path]?.objectPath }
  public var interface: String? { fields[.interface]?.string }
  public var member: String? { fields[.member]?.string }
  public var sender: String? { fields[.sender]?.string }
  public var errorName: String? { fields[.errorName]?.string }
  /// What an error says.
  public var errorText: String { (try? values("s"))?[0].string ?? "" }
  var replySerial: UInt32? { fields[.replySerial]?.number.map { UInt32($0) } }
  var descriptorCount: Int { Int(fields[.descriptorCount]?.number ?? 0) }

  /// Reads the arguments of a call or a signal, or the results of a reply, which must have this signature. Throws an error
  /// that was the reply.
  public func arguments(_ signature: String) throws(BusError) -> [BusValue] {
    if let errorName { throw .refused(errorName) }
    return try values(signature)
  }

  private func values(_ signature: String) throws(BusError) -> [BusValue] {
    guard fields[.signature] ?? .text("g", "") == .text("g", signature) else { throw .malformed }
    var reader = BusReader(body, isBigEndian: isBigEndian)
    let values = try reader.values(of: signature)
    guard reader.offset == body.count else { throw .malformed }
    return values
  }

  // MARK: - Messages to send

  init(_ kind: Kind, _ fields: [Field: BusValue], _ arguments: [BusValue]) {
    (self.kind, self.fields) = (kind, fields)
    guard !arguments.isEmpty else { return }
    self.fields[.signature] = .text("g", arguments.map(\.type).joined())
    var writer = BusWriter()
    writer.write(arguments)
    body = writer.bytes
  }

  /// A call of a method of an object.
  public static func call(
    _ member: String, _ interface: String, of path: String, at destination: String,
    _ arguments: [BusValue] = [], flags: UInt8 = startsNoService
  ) -> BusMessage {
    let fields: [Field: BusValue] = [
      .path: .objectPath(path), .interface: .string(interface), .member: .string(member),
      .destination: .string(destination),
    ]
    var message = BusMessage(.call, fields, arguments)
    message.flags = flags
    return message
  }

  /// The reply to a call: results, or what an error says.
  static func reply(
    to serial: UInt32, of caller: String?, _ results: [BusValue], error: String? = nil
  ) -> BusMessage {
    var message = BusMessage(error == nil ? .reply : .error, [.replySerial: .uint32(serial)], results)
    message.fields[.destination] = caller.map { .string($0) }
    message.fields[.errorName] = error.map { .string($0) }
    return message
  }

  /// The bytes, in little-endian order.
  var bytes: [UInt8] {
    precondition(!isBigEndian, "only messages in little-endian order are sent")
    let rows = fields.sorted { $0.key.rawValue < $1.key.rawValue }.map { field in
      BusValue.structure([.number("y", UInt64(field.key.rawValue)), .variant(field.value)])
    }
    let head = [UInt8(ascii: "l"), kind.rawValue, flags, 1].map { BusValue.number("y", UInt64($0)) }
    var writer = BusWriter()
    writer.write(head + [.uint32(UInt32(body.count)), .uint32(serial), .array(of: "(yv)", rows)])
    writer.align(to: 8)
    return writer.bytes + body
  }

  // MARK: - Messages that were received

  /// Byte order, type, flags, version, length of the body, serial, and length of the array of fields.
  static let headByteCount = 16

  /// Returns how many bytes the message has that begins with these; nil while there are too few to tell.
  static func byteCount(of bytes: [UInt8], atMost most: Int) throws(BusError) -> Int? {
    guard bytes.count >= headByteCount else { return nil }
    guard [UInt8(ascii: "l"), UInt8(ascii: "B")].contains(bytes[0]), bytes[1] != 0, bytes[3] == 1 else {
      throw .malformed
    }
    var head = BusReader(
      Array(bytes[..<headByteCount]), from: 4, isBigEndian: bytes[0] == UInt8(ascii: "B"))
    let lengths = try head.values(of: "uuu").map { Int($0.number ?? 0) }
    let count = headByteCount + (lengths[2] + 7) / 8 * 8 + lengths[0]
    guard count <= most else { throw .tooLong }
    return count
  }

  /// Reads a whole message. Its body is read by ``arguments(_:)``.
  init(parsing bytes: [UInt8]) throws(BusError) {
    guard try Self.byteCount(of: bytes, atMost: .max) == bytes.count else { throw .malformed }
    var reader = BusReader(bytes, from: 8, isBigEndian: bytes[0] == UInt8(ascii: "B"))
    let serial = try reader.number(byteCount: 4)
    var fields: [Field: BusValue] = [:]
    for row in try reader.values(of: "a(yv)")[0].entries {
      // Unknown fields are ignored.
      guard let field = row.key.number.flatMap({ Field(rawValue: UInt8($0)) }) else { continue }
      guard row.value.content.type == Self.fieldTypes[field] else { throw .malformed }
      fields[field] = row.value.content
    }
    try reader.align(to: 8)
    let kind = Kind(rawValue: bytes[1]) ?? .other
    let required = Self.requiredFields[kind] ?? []
    guard serial != 0, required.allSatisfy({ fields[$0] != nil }) else { throw .malformed }
    (self.kind, self.serial, self.fields) = (kind, UInt32(serial), fields)
    flags = bytes[2]
    body = Array(bytes[reader.offset...])
    isBigEndian = bytes[0] == UInt8(ascii: "B")
  }
}
