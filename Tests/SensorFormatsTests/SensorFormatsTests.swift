// SPDX-License-Identifier: GPL-3.0-or-later

import SensorFormats
import TestSupport
import Testing

/// A vector: an AD structure's key and data as hex, and what is read from it.
struct FormatVector: CustomTestStringConvertible, Sendable {
  enum Carrier: Sendable { case service, company }

  let carrier: Carrier
  let key: UInt16
  let data: String
  let expected: String

  var testDescription: String { data }

  init(_ carrier: Carrier, _ key: UInt16, _ data: String, _ expected: String) {
    (self.carrier, self.key, self.data, self.expected) = (carrier, key, data, expected)
  }

  var payload: [UInt8] { [2, 1, 6] + structure }

  var structure: [UInt8] {
    let type: UInt8 = carrier == .service ? 0x16 : 0xFF
    let body = [type, UInt8(key & 0xFF), UInt8(key >> 8)] + bytes(hex: data)
    return [UInt8(body.count)] + body
  }
}

func bytes(hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue).map(UInt8.init)
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The values as lines: "temperature 25.06 °C".
func described(_ values: [SensorValue]) -> String {
  values.map { value in
    let content =
      switch value.content {
      case .number(let number): "\(number)"
      case .flag(let isSet): "\(isSet)"
      case .text(let text), .event(let text): text
      }
    return [value.name, content, value.unit].compactMap { $0 }.joined(separator: " ")
  }.joined(separator: "; ")
}

@Suite("Formats of sensors, by their own vectors")
struct SensorFormatsTests {
  /// bthome.io, "Format": the column "Example" of its tables, and what stands beside it.
  static let bthome: [(String, String)] = [
    ("518756", "acceleration 22.151 m/s²"), ("630057D0FF", "acceleration -3.123456 m/s²"),
    ("0161", "battery 97 %"), ("6001", "channel 1"), ("12E204", "co2 1250 ppm"),
    ("56E803", "conductivity 1000 µS/cm"), ("0960", "count 96"), ("3D0960", "count 24585"),
    ("3E2A2C0960", "count 1611213866"), ("59EA", "count -22"), ("5AEAEA", "count -5398"),
    ("5BEA0234EA", "count -365690134"), ("434E34", "current 13.39 A"), ("5D02EA", "current -5.63 A"),
    ("08CA06", "dew_point 17.38 °C"), ("5E9F8C", "direction 359.99 °"), ("400C00", "distance 12 mm"),
    ("414E00", "distance 7.8 m"), ("424E3400", "duration 13.39 s"), ("4d12138a14", "energy 344593.17 kWh"),
    ("0A138A14", "energy 1346.067 kWh"), ("4B138A14", "gas 1346.067 m³"), ("4C41018A01", "gas 25821.505 m³"),
    ("528756", "gyroscope 22.151 °/s"), ("03BF13", "humidity 50.55 %"), ("2E23", "humidity 35 %"),
    ("05138A14", "illuminance 13460.67 lx"), ("6402", "light_level 2"), ("065E1F", "mass 80.3 kg"),
    ("073E1D", "mass 74.86 lb"), ("14020C", "moisture 30.74 %"), ("2F23", "moisture 35 %"),
    ("0D120C", "pm25 3090 µg/m³"), ("0E021C", "pm10 7170 µg/m³"), ("0B021B00", "power 69.14 W"),
    ("5C02FBFFFF", "power -12.78 W"), ("5FA00F", "precipitation 400 mm"),
    ("04138A01", "pressure 1008.83 hPa"),
    ("540C48656C6C6F20576F726C6421", "raw 48656c6c6f20576f726c6421"), ("3F020C", "rotation 307.4 °"),
    ("61AC0D", "rotational_speed 3500 rpm"), ("6503", "settings_revision 3"), ("444E34", "speed 133.9 m/s"),
    ("624099DFFF", "speed -2.123456 m/s"), ("57EA", "temperature -22 °C"), ("58EA", "temperature -7.7 °C"),
    ("451101", "temperature 27.3 °C"), ("02CA09", "temperature 25.06 °C"),
    ("530C48656C6C6F20576F726C6421", "text Hello World!"), ("505d396164", "timestamp 1684093277"),
    ("133301", "voc 307 µg/m³"), ("0C020C", "voltage 3.074 V"), ("4A020C", "voltage 307.4 V"),
    ("4E87562A01", "volume 19551.879 L"), ("478756", "volume 2215.1 L"), ("48DC87", "volume 34780 mL"),
    ("5587562A01", "volume_storage 19551.879 L"), ("49DC87", "volume_flow_rate 34.78 m³/h"),
    ("4632", "uv_index 5"), ("4F87562A01", "water 19551.879 L"),
    ("1501", "battery_low true"), ("1601", "battery_charging true"), ("1700", "carbon_monoxide false"),
    ("1801", "cold true"), ("1900", "connectivity false"), ("1A00", "door false"),
    ("1B01", "garage_door true"),
    ("1C01", "gas_detected true"), ("0F01", "state true"), ("1D00", "heat false"), ("1E01", "light true"),
    ("1F01", "unlocked true"), ("2001", "moisture_detected true"), ("2100", "motion false"),
    ("2201", "moving true"), ("2301", "occupancy true"), ("1100", "opening false"), ("2400", "plug false"),
    ("1001", "power_on true"), ("2500", "presence false"), ("2601", "problem true"), ("2701", "running true"),
    ("2800", "safe false"), ("2901", "smoke true"), ("2A00", "sound false"), ("2B00", "tamper false"),
    ("2C01", "vibration true"), ("2D01", "window true"), ("3A00", ""), ("3A01", "button press"),
    ("3A02", "button double_press"), ("3A03", "button triple_press"), ("3A04", "button long_press"),
    ("3A05", "button long_double_press"), ("3A06", "button long_triple_press"), ("3A80", "button hold_press"),
    ("3B0000", "command off"), ("3B0001", "command on"), ("3B0002", "command toggle"),
    ("3B010305", "command step_up"), ("3B010405", "command step_down"), ("3C0000", ""),
    ("3C0103", "dimmer rotate_left"), ("3C020A", "dimmer rotate_right"), ("F00100", "device_type 1"),
    ("F100010204", "firmware 4.2.1.0"), ("F2000106", "firmware 6.1.0"), ("0009", ""),
  ]

  @Test("Every example of the BTHome table", arguments: bthome)
  func exampleOfBTHome(example: String, expected: String) {
    let vector = FormatVector(.service, 0xFCD2, "40" + example, expected)
    #expect(described(SensorPayload(vector.payload).values) == expected)
  }

  static let vectors = [
    // docs.ruuvi.com, "Data format 5 (RAWv2)", test vectors: valid, maximum, minimum, invalid.
    FormatVector(
      .company, 0x0499, "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
      "temperature 24.3 °C; humidity 53.49 %; pressure 1000.44 hPa; acceleration_x 0.004 g; acceleration_y -0.004 g; "
        + "acceleration_z 1.036 g; voltage 2.977 V; tx_power 4 dBm; movement_count 66; sequence 205"),
    FormatVector(
      .company, 0x0499, "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
      "temperature 163.835 °C; humidity 163.835 %; pressure 1155.34 hPa; acceleration_x 32.767 g; "
        + "acceleration_y 32.767 g; acceleration_z 32.767 g; voltage 3.646 V; tx_power 20 dBm; movement_count 254; "
        + "sequence 65534"),
    FormatVector(
      .company, 0x0499, "058001000000008001800180010000000000CBB8334C884F",
      "temperature -163.835 °C; humidity 0 %; pressure 500 hPa; acceleration_x -32.767 g; acceleration_y -32.767 g; "
        + "acceleration_z -32.767 g; voltage 1.6 V; tx_power -40 dBm; movement_count 0; sequence 0"),
    FormatVector(.company, 0x0499, "058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF", ""),
    // docs.ruuvi.com, "Data format 6", test vectors: valid, maximum, minimum, invalid.
    FormatVector(
      .company, 0x0499, "06170C5668C79E007000C90501D9FFCD004C884F",
      "temperature 29.5 °C; humidity 55.3 %; pressure 1011.02 hPa; pm25 11.2 µg/m³; co2 201 ppm; sequence 205; "
        + "voc_index 10; nox_index 2; illuminance 13026.67 lx"),
    FormatVector(
      .company, 0x0499, "067FFF9C40FFFE27109C40FAFAFEFFFF074C8F4F",
      "temperature 163.835 °C; humidity 100 %; pressure 1155.34 hPa; pm25 1000 µg/m³; co2 40000 ppm; sequence 255; "
        + "voc_index 500; nox_index 500; illuminance 65535 lx"),
    FormatVector(
      .company, 0x0499, "0680010000000000000000000000FF00004C884F",
      "temperature -163.835 °C; humidity 0 %; pressure 500 hPa; pm25 0 µg/m³; co2 0 ppm; sequence 0; voc_index 0; "
        + "nox_index 0; illuminance 0 lx"),
    FormatVector(.company, 0x0499, "068000FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "sequence 255"),
    // docs.ruuvi.com, "Data format 3 (RAWv1)", test vectors: valid, maximum, minimum.
    FormatVector(
      .company, 0x0499, "03291A1ECE1EFC18F94202CA0B53",
      "temperature 26.3 °C; humidity 20.5 %; pressure 1027.66 hPa; acceleration_x -1 g; acceleration_y -1.726 g; "
        + "acceleration_z 0.714 g; voltage 2.899 V"),
    FormatVector(
      .company, 0x0499, "03FF7F63FFFF7FFF7FFF7FFFFFFF",
      "temperature 127.99 °C; humidity 127.5 %; pressure 1155.35 hPa; acceleration_x 32.767 g; "
        + "acceleration_y 32.767 g; acceleration_z 32.767 g; voltage 65.535 V"),
    FormatVector(
      .company, 0x0499, "0300FF6300008001800180010000",
      "temperature -127.99 °C; humidity 0 %; pressure 500 hPa; acceleration_x -32.767 g; acceleration_y -32.767 g; "
        + "acceleration_z -32.767 g; voltage 0 V"),
    // An iBeacon.
    FormatVector(
      .company, 0x004C, "0215E2C56DB5DFFB48D2B060D0F5A71096E000640000C5",
      "uuid e2c56db5-dffb-48d2-b060-d0f5a71096e0; major 100; minor 0; measured_power -59 dBm"),
    // github.com/google/eddystone, "eddystone-tlm": 3 V, 21.5 °C, and one without battery and thermometer.
    FormatVector(
      .service, 0xFEAA, "20000BB8158000000064000003E8",
      "voltage 3 V; temperature 21.5 °C; advertisement_count 100; uptime 100 s"),
    FormatVector(
      .service, 0xFEAA, "20000000800000000001FFFFFFFF", "advertisement_count 1; uptime 429496729.5 s"),
    FormatVector(
      .service, 0xFEAA, "20000BB8FEAB000000000000000A",
      "voltage 3 V; temperature -1.33 °C; advertisement_count 0; uptime 1 s"),
    // An encrypted one, and a URL.
    FormatVector(.service, 0xFEAA, "2001112233445566778899aabbcc5a17c4ec", ""),
    FormatVector(.service, 0xFEAA, "10f8036769746875620063697472757a", ""),
    // ATC1441: the address, 0.1 °C, %, %, mV, a counter.
    FormatVector(
      .service, 0x181A, "A4C13811223300E62B640B71C0",
      "temperature 23 °C; humidity 43 %; battery 100 %; voltage 2.929 V; sequence 192"),
    FormatVector(
      .service, 0x181A, "A4C138112233FFD33E510B7B62",
      "temperature -4.5 °C; humidity 62 %; battery 81 %; voltage 2.939 V; sequence 98"),
    // pvvx: the address, 0.01 °C, 0.01 %, mV, %, a counter, flags.
    FormatVector(
      .service, 0x181A, "33221138C1A42B089011F70A43200F",
      "temperature 20.91 °C; humidity 44.96 %; voltage 2.807 V; battery 67 %; sequence 32"),
    // Encrypted forms of it.
    FormatVector(.service, 0x181A, "11d603fbfa7b6dfb1e26fd", ""),
    // The SIG's Battery Level, Temperature, Humidity, Temperature Measurement.
    FormatVector(.service, 0x180F, "5A", "battery 90 %"),
    FormatVector(.service, 0x180F, "FF", ""),
    FormatVector(.service, 0x2A19, "64", "battery 100 %"),
    FormatVector(.service, 0x2A6E, "D009", "temperature 25.12 °C"),
    FormatVector(.service, 0x2A6E, "34F8", "temperature -19.96 °C"),
    FormatVector(.service, 0x2A6E, "0080", ""),
    FormatVector(.service, 0x2A6F, "BF13", "humidity 50.55 %"),
    FormatVector(.service, 0x2A6F, "FFFF", ""),
    FormatVector(.service, 0x2A1C, "00720100FF", "temperature 37 °C"),
    FormatVector(.service, 0x2A1C, "01DA0300FF", "temperature 98.6 °F"),
    FormatVector(.service, 0x2A1C, "00CEFFFFFF", "temperature -5 °C"),
    FormatVector(.service, 0x2A1C, "00FFFF7F00", ""),
    FormatVector(.service, 0x2A1C, "00000080FF", ""),
  ]

  @Test("Vectors of the other formats", arguments: vectors)
  func vector(_ vector: FormatVector) {
    #expect(described(SensorPayload(vector.payload).values) == vector.expected)
  }

  @Test("An advertisement as BTHome explains it")
  func wholeAdvertisement() {
    let payload = SensorPayload(bytes(hex: "0201060B094449592D73656E736F720A16D2FC4002C40903BF13"))
    #expect(described(payload.values) == "temperature 25 °C; humidity 50.55 %")
    #expect(SensorValue.text(of: payload.values) == "25 °C, 50.6 %")
  }

  @Test("Values of one name are numbered, and those that the scan response repeats are not there twice")
  func numbered() {
    let advertised = FormatVector(.service, 0xFCD2, "4002CA0902CF09", "")
    let values = SensorPayload(advertised.payload + [0, 0] + advertised.structure).values
    #expect(described(values) == "temperature 25.06 °C; temperature_2 25.11 °C")
    #expect(values.map(\.kind) == ["temperature", "temperature"])
  }

  @Test(
    "What is encrypted, of another version, or reserved has no values",
    arguments: [
      "41a47266c95f730111223378237214", "4002ca0902cf09".replacingFirst("40", "20"), "42b2188d38c1a404138a01",
    ])
  func unread(data: String) {
    #expect(SensorPayload(FormatVector(.service, 0xFCD2, data, "").payload).values.isEmpty)
  }

  @Test("An unknown object, or one that is cut off, ends the reading; what came before it stays")
  func endOfReading() {
    for data in ["4002ca09fe0102ca09", "4002ca0903bf", "4002ca09530c4865"] {
      let values = SensorPayload(FormatVector(.service, 0xFCD2, data, "").payload).values
      #expect(described(values) == "temperature 25.06 °C", "\(data)")
    }
  }

  @Test("Every prefix and every flipped bit of every vector is read without a trap", arguments: vectors)
  func damaged(_ vector: FormatVector) {
    let payload = vector.payload
    for count in 0...payload.count { _ = SensorPayload(Array(payload[..<count])).values }
    for bit in 0..<(8 * payload.count) {
      var altered = payload
      altered[bit / 8] ^= 1 << UInt8(bit % 8)
      for value in SensorPayload(altered).values { #expect(!value.name.isEmpty) }
    }
  }

  @Test("Numbers have the digits of their format, and none more")
  func digits() {
    #expect("\(DecimalNumber(-770, exponent: -2))" == "-7.7")
    #expect("\(DecimalNumber(-5, exponent: -3))" == "-0.005")
    #expect("\(DecimalNumber(0, exponent: -3))" == "0")
    #expect("\(DecimalNumber(2147483647, exponent: -6))" == "2147.483647")
    #expect(DecimalNumber(-2255, exponent: -2).rounded(decimals: 1) == DecimalNumber(-226, exponent: -1))
    #expect(DecimalNumber(2254, exponent: -2).rounded(decimals: 1) == DecimalNumber(225, exponent: -1))
  }

  @Test("A text for operators leaves out what is for programs")
  func operatorText() {
    let payload = FormatVector(
      .company, 0x0499, "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F", ""
    ).payload
    #expect(
      SensorValue.text(of: SensorPayload(payload).values) == "24.3 °C, 53.5 %, 1000.4 hPa, voltage 2.977 V")
    let door = FormatVector(.service, 0xFCD2, "4001612D01", "").payload
    #expect(SensorValue.text(of: SensorPayload(door).values) == "battery 97 %, window: yes")
    #expect(SensorValue.text(of: []) == nil)
  }
}

extension String {
  fileprivate func replacingFirst(_ old: String, _ new: String) -> String { new + dropFirst(old.count) }
}

/// Advertisements that other projects have recorded.
@Suite(
  "Recorded advertisements in open formats",
  .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct RecordedSensorTests {
  struct Record: Decodable {
    let id: String
    let serviceData: [String: String]?
    let manufacturerData: [String: String]?
  }

  private func vectors(_ record: Record) -> [FormatVector] {
    (record.serviceData ?? [:]).compactMap { uuid, data in
      guard uuid.hasSuffix("-0000-1000-8000-00805f9b34fb") else { return nil }
      return UInt16(uuid.dropFirst(4).prefix(4), radix: 16).map { FormatVector(.service, $0, data, "") }
    }
      + (record.manufacturerData ?? [:]).compactMap { company, data in
        UInt16(company.dropFirst(2), radix: 16).map { FormatVector(.company, $0, data, "") }
      }
  }

  @Test("Sensors have plausible values, and what other devices send has none")
  func plausible() throws {
    var counts: [UInt16: Int] = [:]
    for record in try TestData.records("advertisements.jsonl", as: Record.self) {
      for vector in vectors(record) where vector.data.utf8.count < 500 {
        let values = SensorPayload(vector.payload).values
        if !values.isEmpty { counts[vector.key, default: 0] += 1 }
        for value in values {
          guard case .number(let number) = value.content, value.name == "temperature" else { continue }
          let whole = number.rounded(decimals: 0).mantissa
          #expect((-164...164).contains(whole), "\(record.id): \(value)")
        }
      }
    }
    #expect(
      Set(counts.keys).isSubset(of: [0x0499, 0x004C, 0xFCD2, 0x181A, 0x180F, 0x2A6E, 0x2A6F, 0x2A1C, 0xFEAA]))
    #expect(counts[0x0499, default: 0] > 40)
    #expect(counts[0xFCD2, default: 0] > 60)
    #expect(counts[0x181A, default: 0] > 10)
    #expect(counts[0x2A6E, default: 0] > 2)
  }
}
