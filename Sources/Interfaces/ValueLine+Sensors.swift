// SPDX-License-Identifier: Apache-2.0

public import JSON
public import SensorFormats

extension ValueLine {
  public init(_ value: SensorValue) {
    self.init(name: value.name, unit: value.unit)
    switch value.content {
    case .number(let number): self.number = number
    case .flag(let isOn): self.isOn = isOn
    case .text(let text): self.text = text
    case .event(let event): happened = event
    }
  }

  /// What payloads say, the first of them first; of a name that several have, the first one counts.
  public static func lines(of payloads: [[UInt8]]) -> [ValueLine] {
    var lines: [ValueLine] = []
    for payload in payloads where payload.mayHaveValues {
      let known = Set(lines.map(\.name))
      lines += SensorPayload(payload).values.filter { !known.contains($0.name) }.map { ValueLine($0) }
    }
    return lines
  }

  /// Nil for a line without content.
  public var value: SensorValue? {
    let content: SensorValue.Content? =
      number.map { .number($0) } ?? isOn.map { .flag($0) } ?? text.map { .text($0) }
      ?? happened.map { .event($0) }
    return content.map { SensorValue(name, $0, unit: unit) }
  }

  /// Values as a text for operators, such as "22.6 °C, 48 %"; nil for none.
  public static func text(of lines: [ValueLine]) -> String? {
    SensorValue.text(of: lines.compactMap(\.value))
  }
}

extension DecimalNumber: JSONEncodable {
  public func write(to json: inout JSONWriter) { json.literal(description) }
}

extension JSONObjectReader {
  /// A number with the fewest decimals, up to nine, that say it exactly.
  public func decimalIfPresent(_ name: String) throws(JSONMemberError) -> DecimalNumber? {
    guard let double = try doubleIfPresent(name) else { return nil }
    var unit = 1.0
    for decimals in 0...9 {
      let mantissa = (double * unit).rounded()
      if mantissa.magnitude < 1e15, mantissa / unit == double {
        return DecimalNumber(Int64(mantissa), exponent: -decimals)
      }
      unit *= 10
    }
    throw error(name, .unknownValue)
  }
}

extension [UInt8] {
  /// Whether a payload has service data, or data of a maker whose format is open. Most have neither, and cost no more than this.
  fileprivate var mayHaveValues: Bool {
    var index = 0
    while index + 3 < count {
      let (type, key) = (self[index + 1], UInt16(self[index + 2]) | UInt16(self[index + 3]) << 8)
      if type == 0x16 || type == 0xFF && (key == 0x0499 || key == 0x004C) { return true }
      index += Int(self[index]) + 1
    }
    return false
  }
}
