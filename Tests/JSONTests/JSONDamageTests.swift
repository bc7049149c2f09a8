// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSON
import TestSupport
import Testing

/// Damaged texts, judged by Foundation's reader as well.
@Suite("Reading damaged JSON")
struct JSONDamageTests {
  private static let text = Array(
    #"""
    {"method":"io.accessoryd.Gateway.Watch","parameters":{"items":["bulb","gr\u00fcn 💡"],"rssi":-50,"level":1.5e1,
     "all":true,"cursor":null,"nested":{"a":[{},[],0,"\ud83d\udca1\n"]}},"more":false}
    """#.utf8)

  private static func read(_ bytes: [UInt8]) -> JSONValue? { try? JSONReader.read(bytes.span) }

  private static func foundation(_ bytes: [UInt8]) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
  }

  /// Foundation's reading as a `JSONValue`; the order of members is lost.
  private static func element(_ value: Any) -> JSONValue {
    switch value {
    // Objective-C's name of the type, a constant, distinguishes booleans from numbers.
    case let number as NSNumber where unsafe number.objCType.pointee == 0x63: .bool(number.boolValue)
    case let number as NSNumber: .double(number.doubleValue)
    case let text as String: .string(text)
    case let list as [Any]: .array(list.map(element))
    case let table as [String: Any]:
      .object(sorted(table.map { .init(name: $0.key, value: element($0.value)) }))
    default: .null
    }
  }

  private static func sorted(_ members: [JSONObject.Member]) -> JSONObject {
    JSONObject(members.sorted { $0.name < $1.name })
  }

  /// The reader's result with sorted members and no distinction between numbers.
  private static func plain(_ element: JSONValue) -> JSONValue {
    switch element {
    case .null, .bool, .double, .string: element
    case .integer(let integer): .double(Double(integer))
    case .array(let elements): .array(elements.map(plain))
    case .object(let object):
      .object(sorted(object.members.map { .init(name: $0.name, value: plain($0.value)) }))
    }
  }

  @Test("No prefix is a whole value")
  func prefixes() {
    withEveryPrefix(of: Self.text) { bytes, damage in
      #expect(Self.read(bytes) == nil, "\(damage)")
    }
  }

  @Test("With a bit flipped, what is read is what Foundation reads")
  func flips() throws {
    var readCount = 0
    withEveryBitFlip(of: Self.text) { bytes, damage in
      guard let actual = Self.read(bytes) else { return }
      readCount += 1
      let reference = Self.foundation(bytes).map(Self.element)
      #expect(reference == Self.plain(actual), "\(damage)")
    }
    #expect(readCount > 300)
  }

  @Test("What was read and written again reads the same")
  func roundTrip() throws {
    withEveryBitFlip(of: Self.text) { bytes, damage in
      guard case .object(let object)? = Self.read(bytes) else { return }
      var json = JSONWriter()
      json.message { json in
        for member in object.members { json.member(member.name, member.value) }
      }
      #expect(Self.read(json.takeBytes().dropLast()) == .object(object), "\(damage)")
    }
  }
}
