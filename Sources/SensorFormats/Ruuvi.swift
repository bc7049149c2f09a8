// SPDX-License-Identifier: Apache-2.0

/// The formats 3, 5 and 6 of Ruuvi (docs.ruuvi.com, "Bluetooth Advertisements"; manufacturer data of the company 0x0499).
/// Numbers have their most significant byte first.
enum Ruuvi {
  static func values(_ data: ArraySlice<UInt8>) -> [SensorValue] {
    switch (data.first, data.count) {
    case (3, 14...): [temperature3(data)].compactMap { $0 } + numbers(of: format3, data)
    case (5, 24...): numbers(of: format5, data)
    case (6, 20...):
      numbers(of: format6, data)
        + [
          index("voc_index", data, high: 11, bit: 6), index("nox_index", data, high: 12, bit: 7),
          luminosity(data),
        ].compactMap { $0 }
    default: []
    }
  }

  private static func numbers(of layout: [SensorField], _ data: ArraySlice<UInt8>) -> [SensorValue] {
    layout.compactMap { $0.value(in: data, isBigEndian: true) }
  }

  /// "Data format 3 (RAWv1)".
  private static let format3 = [
    SensorField("humidity", "%", at: 1, 1, factor: 5, exponent: -1),
    SensorField("pressure", "hPa", at: 4, 2, plus: 50_000, exponent: -2),
    SensorField("acceleration_x", "g", at: 6, 2, signed: true, exponent: -3),
    SensorField("acceleration_y", "g", at: 8, 2, signed: true, exponent: -3),
    SensorField("acceleration_z", "g", at: 10, 2, signed: true, exponent: -3),
    SensorField("voltage", "V", at: 12, 2, exponent: -3),
  ]

  /// "Data format 5 (RAWv2)".
  private static let format5 = [
    SensorField("temperature", "°C", at: 1, 2, signed: true, factor: 5, exponent: -3, missing: -0x8000),
    SensorField("humidity", "%", at: 3, 2, factor: 25, exponent: -4, missing: 0xFFFF),
    SensorField("pressure", "hPa", at: 5, 2, plus: 50_000, exponent: -2, missing: 0xFFFF),
    SensorField("acceleration_x", "g", at: 7, 2, signed: true, exponent: -3, missing: -0x8000),
    SensorField("acceleration_y", "g", at: 9, 2, signed: true, exponent: -3, missing: -0x8000),
    SensorField("acceleration_z", "g", at: 11, 2, signed: true, exponent: -3, missing: -0x8000),
    SensorField("voltage", "V", at: 13, 2, plus: 1600, exponent: -3, bits: (5, 11), missing: 0x7FF),
    SensorField("tx_power", "dBm", at: 13, 2, factor: 2, plus: -40, bits: (0, 5), missing: 0x1F),
    SensorField("movement_count", at: 15, 1, missing: 0xFF),
    SensorField("sequence", at: 16, 2, missing: 0xFFFF),
  ]

  /// "Data format 6", without what is not a plain number.
  private static let format6 = [
    SensorField("temperature", "°C", at: 1, 2, signed: true, factor: 5, exponent: -3, missing: -0x8000),
    SensorField("humidity", "%", at: 3, 2, factor: 25, exponent: -4, missing: 0xFFFF),
    SensorField("pressure", "hPa", at: 5, 2, plus: 50_000, exponent: -2, missing: 0xFFFF),
    SensorField("pm25", "µg/m³", at: 7, 2, exponent: -1, missing: 0xFFFF),
    SensorField("co2", "ppm", at: 9, 2, missing: 0xFFFF),
    SensorField("sequence", at: 15, 1),
  ]

  /// A byte with the sign and whole degrees, and one with hundredths.
  private static func temperature3(_ data: ArraySlice<UInt8>) -> SensorValue? {
    guard let whole = data.byte(at: 2), let hundredths = data.byte(at: 3), hundredths < 100 else {
      return nil
    }
    let magnitude = Int64(whole & 0x7F) * 100 + Int64(hundredths)
    let number = DecimalNumber(whole < 0x80 ? magnitude : -magnitude, exponent: -2)
    return SensorValue("temperature", .number(number), unit: "°C")
  }

  /// Nine bits; the lowest one is a bit of the flags.
  private static func index(_ name: String, _ data: ArraySlice<UInt8>, high offset: Int, bit: UInt8)
    -> SensorValue?
  {
    guard let high = data.byte(at: offset), let flags = data.byte(at: 16) else { return nil }
    let index = Int64(high) << 1 | Int64(flags >> bit & 1)
    return index == 0x1FF ? nil : SensorValue(name, .number(DecimalNumber(index)))
  }

  /// The byte is a logarithm: 0 is 0 lx, 254 is 65535 lx. In hundredths, as the document has it.
  private static func luminosity(_ data: ArraySlice<UInt8>) -> SensorValue? {
    guard let code = data.byte(at: 13), code < 0xFF else { return nil }
    // 65536 to the power of code/254 is 2 to the power of 8 * code/127.
    let (whole, part) = (8 * Int(code)).quotientAndRemainder(dividingBy: 127)
    let root127OfTwo = 1.005_472_773_022_213_1
    let value = (0..<part).reduce(Double(1 << whole)) { power, _ in power * root127OfTwo } - 1
    return SensorValue(
      "illuminance", .number(DecimalNumber(Int64((value * 100).rounded()), exponent: -2)), unit: "lx")
  }
}
