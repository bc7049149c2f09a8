// SPDX-License-Identifier: Apache-2.0

import BusSupport
@testable import DBus
import Testing

@Suite("Messages of D-Bus")
struct BusMessageTests {
  @Test("A call has the bytes that the specification gives it")
  func call() throws {
    var call = BusMessage.call("Set", "org.x", of: "/", at: "org.y", [.uint32(7), .bool(true)])
    call.serial = 3
    let expected: [UInt8] =
      [0x6C, 1, 2, 1, 8, 0, 0, 0]  // little-endian, call, no service is started, version 1, body of 8
      + [3, 0, 0, 0, 72, 0, 0, 0]  // serial, bytes of fields
      + [1, 1, 0x6F, 0, 1, 0, 0, 0] + Array("/".utf8) + [0] + [0, 0, 0, 0, 0, 0]  // path, padded to eight
      + [2, 1, 0x73, 0, 5, 0, 0, 0] + Array("org.x".utf8) + [0] + [0, 0]  // interface
      + [3, 1, 0x73, 0, 3, 0, 0, 0] + Array("Set".utf8) + [0] + [0, 0, 0, 0]  // member
      + [6, 1, 0x73, 0, 5, 0, 0, 0] + Array("org.y".utf8) + [0] + [0, 0]  // destination
      + [8, 1, 0x67, 0, 2] + Array("ub".utf8) + [0]  // signature
      + [7, 0, 0, 0, 1, 0, 0, 0]  // the number, and true
    #expect(call.bytes == expected)
    #expect(try BusMessage(parsing: expected) == call)
  }

  /// One value of each kind.
  static let values: [BusValue] = [
    .number("y", 0xFF), .bool(true), .number("n", 0xFFC4), .number("q", 0xEEE), .number("i", 0xFFFF_FFFF),
    .uint32(0xFFFF_FFFF), .number("x", .max), .number("t", .max), .number("d", 0x3FF8_0000_0000_0000),
    .number("h", 0), .string("Lumo Küche"), .objectPath("/org/bluez/hci0"), .text("g", "a{sv}"), .string(""),
    .bytes([1, 2, 3]), .bytes([]), .array(of: "s", [.string("a"), .string("b")]), .array(of: "(yt)", []),
    .array(of: "ay", [.bytes([1]), .bytes([])]), .dictionary([:]),
    .structure([.number("y", 1), .number("t", 2)]),
    .dictionary([
      "Transport": .string("le"),
      "Data": .array(
        of: "{qv}",
        [
          .structure([.number("q", 76), .variant(.bytes([0xA5]))])
        ]),
    ]),
    .variant(.variant(.bool(false))),
  ]

  @Test("What is written reads back, each value by itself and all together")
  func roundTrip() throws {
    for values in Self.values.map({ [$0] }) + [Self.values] {
      var message = BusMessage.call("Set", "org.x", of: "/", at: "org.y", values, flags: 0)
      message.serial = .max
      let read = try BusMessage(parsing: message.bytes)
      #expect(read == message)
      #expect(try read.arguments(values.map(\.type).joined()) == values)
    }
  }

  @Test("Values are read in both byte orders, and through variants", arguments: [false, true])
  func byteOrder(isBigEndian: Bool) throws {
    let bytes = BusBytes.reply("a{sv}qas", isBigEndian: isBigEndian) { body in
      body.array(8) { properties in
        properties.property("Name", "s") { $0.string("Lumo") }
        properties.property("Paired", "b") { $0.number(1, 4) }
        properties.property("Adapter", "o") { $0.string("/a") }
        properties.property("RSSI", "n") { $0.number(0xFFC4, 2) }
      }
      body.number(0x0102, 2)
      body.array(4) { $0.string("x") }
    }
    let message = try BusMessage(parsing: bytes)
    #expect(message.kind == .reply && message.replySerial == 2 && message.serial == 77)
    let values = try message.arguments("a{sv}qas")
    #expect(values[0]["Name"]?.string == "Lumo" && values[0]["Paired"]?.bool == true)
    #expect(values[0]["Adapter"]?.objectPath == "/a" && values[0]["Adapter"]?.string == nil)
    #expect(values[0]["RSSI"]?.number == 0xFFC4 && values[0]["None"] == nil)
    #expect(values[1].number == 0x0102 && values[2].elements == [.string("x")])
  }

  @Test("Arguments of other types are an error, and so is an error that was the reply")
  func otherTypes() throws {
    let message = try BusMessage(parsing: BusBytes.reply("s") { $0.string("text") })
    #expect(throws: BusError.malformed) { try message.arguments("o") }
    #expect(throws: BusError.malformed) { try message.arguments("") }
    #expect(try BusMessage(parsing: BusBytes.reply("")).arguments("") == [])
    let error = try BusMessage(
      parsing: BusBytes.reply("s", kind: .error, error: "org.x.No") { $0.string("not now") })
    #expect(throws: BusError.refused("org.x.No")) { try error.arguments("s") }
    #expect(error.errorText == "not now" && message.errorText == "text")
  }

  @Test("A message of more values than bluetoothd can mean is refused, before they fill the memory")
  func manyValues() throws {
    func reply(_ count: Int) throws -> BusMessage {
      try BusMessage(
        parsing: BusBytes.reply("aq") { body in
          body.array(2) { numbers in for _ in 0..<count { numbers.number(0, 2) } }
        })
    }
    // The array is a value too.
    let most = BusReader.valuesMax - 1
    #expect(try reply(most).arguments("aq")[0].elements.count == most)
    #expect(throws: BusError.malformed) { try reply(most + 1).arguments("aq") }
  }

  @Test("Bytes are one value, however many they are")
  func manyBytes() throws {
    let reply = try BusMessage(
      parsing: BusBytes.reply("ay") { body in
        body.array(1) { bytes in for _ in 0...BusReader.valuesMax { bytes.number(0xA5, 1) } }
      })
    #expect(try reply.arguments("ay")[0].bytes.count == BusReader.valuesMax + 1)
  }

  @Test("A header without a field that its type needs, or with one of another type, is malformed")
  func headers() throws {
    let complete: [(BusMessageKind, [BusField])] = [
      (.call, [.path("/"), .member("M")]), (.reply, [.replySerial(1)]),
      (.error, [.error("org.x.No"), .replySerial(1)]),
      (.signal, [.path("/"), .interface("i.i"), .member("M")]),
    ]
    for (kind, fields) in complete {
      #expect(throws: Never.self) { try BusMessage(parsing: BusBytes.message(kind, serial: 1, fields)) }
      for index in fields.indices {
        var fewer = fields
        fewer.remove(at: index)
        #expect(throws: BusError.malformed) {
          try BusMessage(parsing: BusBytes.message(kind, serial: 1, fewer))
        }
      }
      #expect(throws: BusError.malformed) {
        try BusMessage(parsing: BusBytes.message(kind, serial: 0, fields))
      }
    }
    var bytes = BusBytes.message(.call, serial: 1, [.path("/"), .member("M")])
    bytes[18] = UInt8(ascii: "s")
    #expect(throws: BusError.malformed) { try BusMessage(parsing: bytes) }
  }

  @Test("A message of a later type, and unknown fields, are read")
  func later() throws {
    var bytes = BusBytes.message(.call, serial: 1, [.path("/"), .member("M")])
    bytes[1] = 9
    #expect(try BusMessage(parsing: bytes).kind == .other)
    bytes[16] = 200
    #expect(try BusMessage(parsing: bytes).path == nil)
  }

  @Test("Every prefix of a message and every flipped bit is read or refused")
  func torn() {
    var message = BusMessage.call("Set", "org.x", of: "/", at: "org.y", Self.values)
    message.serial = 1
    let (bytes, signature) = (message.bytes, Self.values.map(\.type).joined())
    for count in 0..<bytes.count {
      #expect(throws: BusError.malformed) { try BusMessage(parsing: Array(bytes[..<count])) }
    }
    for bit in 0..<8 * bytes.count {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      _ = try? BusMessage.byteCount(of: flipped, atMost: 1 << 20)
      _ = try? BusMessage(parsing: flipped).arguments(signature)
    }
  }

  @Test("What is nested too deeply, or longer than any reply, is refused")
  func bounds() throws {
    let deep = String(repeating: "a", count: 100) + "y"
    let nested = try BusMessage(
      parsing: BusBytes.reply(deep) { body in for _ in 0..<100 { body.number(4, 4) } })
    #expect(throws: BusError.malformed) { try nested.arguments(deep) }
    let bytes = BusBytes.reply("")
    #expect(try BusMessage.byteCount(of: bytes, atMost: bytes.count) == bytes.count)
    #expect(throws: BusError.tooLong) { try BusMessage.byteCount(of: bytes, atMost: bytes.count - 1) }
    for lengths in [4..<8, 12..<16] {
      var long = bytes
      long.replaceSubrange(lengths, with: [0xFF, 0xFF, 0xFF, 0xFF])
      #expect(throws: BusError.tooLong) { try BusMessage.byteCount(of: long, atMost: 64 << 20) }
    }
  }
}
