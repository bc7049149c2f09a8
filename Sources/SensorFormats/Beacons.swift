// SPDX-License-Identifier: Apache-2.0

/// Beacons: Apple's iBeacon ("Proximity Beacon Specification"), and the telemetry of Eddystone
/// (github.com/google/eddystone, "eddystone-tlm"). Numbers have their most significant byte first.
enum Beacons {
  /// Manufacturer data of the company 0x004C: type 0x02, length 0x15, a UUID, two numbers, and the level at a metre.
  static func values(appleData data: ArraySlice<UInt8>) -> [SensorValue] {
    guard data.count == 23, data.starts(with: [0x02, 0x15]) else { return [] }
    let uuid = SensorValue("uuid", .text(text(uuid: data.dropFirst(2).prefix(16))))
    return [uuid] + beacon.compactMap { $0.value(in: data, isBigEndian: true) }
  }

  private static let beacon = [
    SensorField("major", at: 18, 2),
    SensorField("minor", at: 20, 2),
    SensorField("measured_power", "dBm", at: 22, 1, signed: true),
  ]

  private static func text(uuid: ArraySlice<UInt8>) -> String {
    uuid.enumerated().map { index, byte in
      ([4, 6, 8, 10].contains(index) ? "-" : "") + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Service data of the UUID 0xFEAA: frame type 0x20, version 0. Version 1 is encrypted.
  static func values(eddystoneData data: ArraySlice<UInt8>) -> [SensorValue] {
    guard data.count == 14, data.starts(with: [0x20, 0x00]) else { return [] }
    return telemetry.compactMap { $0.value(in: data, isBigEndian: true) }.map { value in
      guard value.name == "temperature", case .number(let number) = value.content else { return value }
      return SensorValue(value.name, .number(number.rounded(decimals: 2)), unit: value.unit)
    }
  }

  private static let telemetry = [
    // 0 where the device has no battery.
    SensorField("voltage", "V", at: 2, 2, exponent: -3, missing: 0),
    // In steps of 1/256 degree.
    SensorField("temperature", "°C", at: 4, 2, signed: true, factor: 390_625, exponent: -8, missing: -0x8000),
    SensorField("advertisement_count", at: 6, 4),
    SensorField("uptime", "s", at: 10, 4, exponent: -1),
  ]
}
