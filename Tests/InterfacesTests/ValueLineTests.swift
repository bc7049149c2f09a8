// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import SensorFormats
import Testing

@Suite("Values on the wire")
struct ValueLineTests {
  /// BTHome 2: battery 97 %, temperature -7.7 °C, a button that was pressed, and a door that is open.
  private static let payload: [UInt8] = [
    0x0D, 0x16, 0xD2, 0xFC, 0x40, 0x01, 0x61, 0x02, 0xFE, 0xFC, 0x1A, 0x01, 0x3A, 0x01,
  ]

  @Test("A payload's values are written and read back with every digit")
  func written() throws {
    let lines = ValueLine.lines(of: [Self.payload])
    #expect(lines.map(\.name) == ["battery", "temperature", "door", "button"])
    #expect(ValueLine.text(of: lines) == "battery 97 %, -7.7 °C, door: yes, button: press")
    var json = JSONWriter()
    json.line { $0.objects("values", lines) }
    let text = String(decoding: json.bytes, as: UTF8.self)
    #expect(text.contains(#"{"name":"temperature","number":-7.7,"unit":"°C"#), "\(text)")
    let bytes = Array(text.utf8.dropLast())
    guard case .object(let object)? = try? JSONReader.read(bytes.span) else {
      Issue.record("the line is no object")
      return
    }
    let back: [ValueLine]? = try JSONObjectReader(object).linesIfPresent("values")
    #expect(back == lines)
  }

  @Test("Of several payloads the first that has a name counts; one without values says nothing")
  func several() {
    let other: [UInt8] = [0x06, 0x16, 0xD2, 0xFC, 0x40, 0x01, 0x05]
    #expect(ValueLine.lines(of: [other, Self.payload]).first?.number == DecimalNumber(5))
    #expect(ValueLine.lines(of: [other, Self.payload]).count == 4)
    #expect(ValueLine.lines(of: [[0x02, 0x01, 0x06]]).isEmpty && ValueLine.lines(of: []).isEmpty)
  }

  @Test(
    "A number that was rounded to a Double is read with its own digits",
    arguments: ["22.6", "-0.005", "101325", "0.000000001", "1234.5678"])
  func digits(_ text: String) throws {
    let bytes = Array("{\"number\":\(text)}".utf8)
    guard case .object(let object)? = try? JSONReader.read(bytes.span) else {
      Issue.record("the line is no object")
      return
    }
    #expect(try JSONObjectReader(object).decimalIfPresent("number")?.description == text)
  }
}
