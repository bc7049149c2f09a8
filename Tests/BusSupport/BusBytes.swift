// SPDX-License-Identifier: GPL-3.0-or-later

/// Writes the bytes of D-Bus values for tests, in either byte order, from the specification and not from the reader.
public struct BusBytes {
  public internal(set) var bytes: [UInt8] = []
  let isBigEndian: Bool

  public init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

  public mutating func align(_ count: Int) {
    while bytes.count % count != 0 { bytes.append(0) }
  }

  public mutating func number(_ value: UInt64, _ byteCount: Int) {
    align(byteCount)
    let little = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    bytes += isBigEndian ? little.reversed() : little
  }

  public mutating func string(_ text: String) {
    number(UInt64(text.utf8.count), 4)
    bytes += Array(text.utf8) + [0]
  }

  public mutating func signature(_ text: String) {
    bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
  }

  public mutating func variant(_ type: String, _ body: (inout BusBytes) -> Void) {
    signature(type)
    body(&self)
  }

  /// An array whose elements begin at multiples of `alignment`.
  public mutating func array(_ alignment: Int, _ body: (inout BusBytes) -> Void) {
    number(0, 4)
    let lengthOffset = bytes.count - 4
    align(alignment)
    let start = bytes.count
    body(&self)
    var length = BusBytes(isBigEndian: isBigEndian)
    length.number(UInt64(bytes.count - start), 4)
    bytes.replaceSubrange(lengthOffset..<lengthOffset + 4, with: length.bytes)
  }

  /// A structure, or an entry of a dictionary.
  public mutating func structure(_ body: (inout BusBytes) -> Void) {
    align(8)
    body(&self)
  }
}

/// The parts of a message's header, with the numbers that the specification gives them.
public enum BusField: Equatable, Sendable {
  case path(String)
  case interface(String)
  case member(String)
  case error(String)
  case replySerial(UInt64)
  case destination(String)
  case sender(String)
  case signature(String)
  case descriptorCount(UInt64)

  func write(to fields: inout BusBytes) {
    switch self {
    case .path(let text): Self.write(1, "o", &fields) { $0.string(text) }
    case .interface(let text): Self.write(2, "s", &fields) { $0.string(text) }
    case .member(let text): Self.write(3, "s", &fields) { $0.string(text) }
    case .error(let text): Self.write(4, "s", &fields) { $0.string(text) }
    case .replySerial(let number): Self.write(5, "u", &fields) { $0.number(number, 4) }
    case .destination(let text): Self.write(6, "s", &fields) { $0.string(text) }
    case .sender(let text): Self.write(7, "s", &fields) { $0.string(text) }
    case .signature(let text): Self.write(8, "g", &fields) { $0.signature(text) }
    case .descriptorCount(let number): Self.write(9, "u", &fields) { $0.number(number, 4) }
    }
  }

  private static func write(
    _ number: UInt8, _ type: String, _ fields: inout BusBytes, _ value: (inout BusBytes) -> Void
  ) {
    fields.structure { field in
      field.bytes.append(number)
      field.variant(type, value)
    }
  }
}

/// The types of messages.
public enum BusMessageKind: UInt8, Sendable {
  case call = 1
  case reply = 2
  case error = 3
  case signal = 4
}

extension BusBytes {
  /// A message; `fields` has the signature of a body that is not empty.
  public static func message(
    _ kind: BusMessageKind, serial: UInt64, _ fields: [BusField], isBigEndian: Bool = false,
    _ body: (inout BusBytes) -> Void = { _ in }
  ) -> [UInt8] {
    var content = BusBytes(isBigEndian: isBigEndian)
    body(&content)
    var message = BusBytes(isBigEndian: isBigEndian)
    message.bytes = [UInt8(ascii: isBigEndian ? "B" : "l"), kind.rawValue, 0, 1]
    message.number(UInt64(content.bytes.count), 4)
    message.number(serial, 4)
    message.array(8) { list in fields.forEach { $0.write(to: &list) } }
    message.align(8)
    return message.bytes + content.bytes
  }

  /// A reply with a body of this signature to the call with serial 2.
  public static func reply(
    _ signature: String, isBigEndian: Bool = false, kind: BusMessageKind = .reply, error: String? = nil,
    _ body: (inout BusBytes) -> Void = { _ in }
  ) -> [UInt8] {
    var fields = [BusField.replySerial(2)]
    if let error { fields.append(.error(error)) }
    if !signature.isEmpty { fields.append(.signature(signature)) }
    return message(kind, serial: 77, fields, isBigEndian: isBigEndian, body)
  }

  /// A property of an object, in its dictionary.
  public mutating func property(_ name: String, _ type: String, _ value: (inout BusBytes) -> Void) {
    structure { entry in
      entry.string(name)
      entry.variant(type, value)
    }
  }

  /// An object with one interface, as a{oa{sa{sv}}} has it.
  public mutating func object(
    _ path: String, _ interface: String, _ properties: (inout BusBytes) -> Void
  ) {
    structure { object in
      object.string(path)
      object.interface(interface, properties)
    }
  }

  /// The interfaces of an object, of which this is the only one.
  public mutating func interface(_ name: String, _ properties: (inout BusBytes) -> Void) {
    array(8) { interfaces in
      interfaces.structure { entry in
        entry.string(name)
        entry.array(8, properties)
      }
    }
  }
}
