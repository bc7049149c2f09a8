// SPDX-License-Identifier: Apache-2.0

/// Thermometers with a free firmware, in the clear (service data of the UUID 0x181A). The device's address comes first.
enum Thermometers {
  static func values(_ data: ArraySlice<UInt8>) -> [SensorValue] {
    switch data.count {
    case 13: atc1441.compactMap { $0.value(in: data, isBigEndian: true) }
    case 15: custom.compactMap { $0.value(in: data, isBigEndian: false) }
    default: []
    }
  }

  /// github.com/atc1441/ATC_MiThermometer, "Advertising format of the custom firmware".
  private static let atc1441 = [
    SensorField("temperature", "°C", at: 6, 2, signed: true, exponent: -1),
    SensorField("humidity", "%", at: 8, 1),
    SensorField("battery", "%", at: 9, 1),
    SensorField("voltage", "V", at: 10, 2, exponent: -3),
    SensorField("sequence", at: 12, 1),
  ]

  /// github.com/pvvx/ATC_MiThermometer, "Custom format".
  private static let custom = [
    SensorField("temperature", "°C", at: 6, 2, signed: true, exponent: -2),
    SensorField("humidity", "%", at: 8, 2, exponent: -2),
    SensorField("voltage", "V", at: 10, 2, exponent: -3),
    SensorField("battery", "%", at: 12, 1),
    SensorField("sequence", at: 13, 1),
  ]
}

/// Characteristics of the Bluetooth SIG as service data (GATT Specification Supplement). Numbers have their least significant
/// byte first.
enum SIGServices {
  static func values(_ data: ArraySlice<UInt8>, service: UInt16) -> [SensorValue] {
    switch (service, data.count) {
    // Battery Level, which the Battery Service has, too.
    case (0x180F, 1), (0x2A19, 1): data.first.map { $0 <= 100 } == true ? number(battery, data) : []
    case (0x2A6E, 2): number(temperature, data)
    case (0x2A6F, 2): number(humidity, data)
    case (0x2A1C, 5...): measurement(data)
    default: []
    }
  }

  private static let battery = SensorField("battery", "%", 1)
  private static let temperature = SensorField(
    "temperature", "°C", 2, signed: true, exponent: -2, missing: -0x8000)
  private static let humidity = SensorField("humidity", "%", 2, exponent: -2, missing: 0xFFFF)

  private static func number(_ field: SensorField, _ data: ArraySlice<UInt8>) -> [SensorValue] {
    [field.value(in: data, isBigEndian: false)].compactMap { $0 }
  }

  /// Temperature Measurement: flags, of which bit 0 means degrees Fahrenheit, and a number of IEEE 11073-20601 of 32 bits:
  /// a mantissa of 24 bits and an exponent of 8.
  private static func measurement(_ data: ArraySlice<UInt8>) -> [SensorValue] {
    guard let flags = data.first, let exponent = data.byte(at: 4).map({ Int(Int8(bitPattern: $0)) }) else {
      return []
    }
    let word = Int64(data.dropFirst().prefix(3).littleEndianWord)
    // Not a number, not at this resolution, infinite, and reserved.
    guard !(0x7FFFFE...0x800002).contains(word), (-6...2).contains(exponent) else { return [] }
    let mantissa = word < 0x800000 ? word : word - 0x1000000
    let scale = exponent > 0 ? (0..<exponent).reduce(Int64(1)) { scale, _ in scale * 10 } : 1
    let number = DecimalNumber(mantissa * scale, exponent: min(exponent, 0))
    return [SensorValue("temperature", .number(number), unit: flags & 1 == 0 ? "°C" : "°F")]
  }
}
