// SPDX-License-Identifier: Apache-2.0

/// BTHome 2 in the clear (bthome.io, "Format"; service data of the UUID 0xFCD2): a byte with flags, then objects, each with
/// its id. Numbers have their least significant byte first.
enum BTHome {
  private enum Object {
    case number(SensorField)
    case flag(String)
    /// A byte with the length follows.
    case text(String)
    case bytes(String)
    /// What was done: names for the byte that follows.
    case button
    case dimmer
    case command
    /// Bytes that are the digits of a version, the last one first.
    case version(byteCount: Int)
    case skipped(byteCount: Int)
  }

  static func values(_ data: ArraySlice<UInt8>) -> [SensorValue] {
    // Bits 5 to 7 are the version, bit 0 says that it is encrypted, bit 1 is reserved.
    guard let flags = data.first, flags >> 5 == 2, flags & 0b11 == 0 else { return [] }
    var (values, rest) = ([SensorValue](), data.dropFirst())
    // The length of an unknown object is unknown, too: it ends the reading.
    while let id = rest.popFirst(), let object = object(id) {
      guard let count = length(of: object, rest), rest.count >= count else { break }
      if let value = value(of: object, rest.prefix(count)) { values.append(value) }
      rest = rest.dropFirst(count)
    }
    return values
  }

  private static func length(of object: Object, _ rest: ArraySlice<UInt8>) -> Int? {
    switch object {
    case .number(let field): field.byteCount
    case .flag, .button: 1
    case .dimmer: 2
    case .text, .bytes: rest.first.map { Int($0) + 1 }
    // The first byte is how many bytes of arguments follow the command.
    case .command: rest.first.map { Int($0) + 2 }
    case .version(let byteCount), .skipped(let byteCount): byteCount
    }
  }

  private static func value(of object: Object, _ data: ArraySlice<UInt8>) -> SensorValue? {
    switch object {
    case .number(let field): field.value(in: data, isBigEndian: false)
    case .flag(let name): SensorValue(name, .flag(data.first != 0))
    case .text(let name):
      String(validating: data.dropFirst(), as: UTF8.self).map { SensorValue(name, .text($0)) }
    case .bytes(let name): SensorValue(name, .text(data.dropFirst().map(hex).joined()))
    case .button: event("button", data.first, buttonEvents)
    case .dimmer: event("dimmer", data.first, dimmerEvents)
    case .command: event("command", data.byte(at: 1), commandEvents)
    case .version: SensorValue("firmware", .text(data.reversed().map { String($0) }.joined(separator: ".")))
    case .skipped: nil
    }
  }

  private static func event(_ name: String, _ code: UInt8?, _ names: [UInt8: String]) -> SensorValue? {
    code.flatMap { names[$0] }.map { SensorValue(name, .event($0)) }
  }

  private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private static let buttonEvents: [UInt8: String] = [
    0x01: "press", 0x02: "double_press", 0x03: "triple_press", 0x04: "long_press", 0x05: "long_double_press",
    0x06: "long_triple_press", 0x80: "hold_press",
  ]
  private static let dimmerEvents: [UInt8: String] = [0x01: "rotate_left", 0x02: "rotate_right"]
  private static let commandEvents: [UInt8: String] = [
    0x00: "off", 0x01: "on", 0x02: "toggle", 0x03: "step_up", 0x04: "step_down",
  ]

  private static func number(
    _ name: String, _ unit: String?, _ byteCount: Int, signed isSigned: Bool = false, factor: Int64 = 1,
    _ exponent: Int = 0
  ) -> Object {
    .number(SensorField(name, unit, byteCount, signed: isSigned, factor: factor, exponent: exponent))
  }

  /// The objects, in the order of their ids.
  private static func object(_ id: UInt8) -> Object? {
    switch id {
    case 0x00: .skipped(byteCount: 1)
    case 0x01: number("battery", "%", 1)
    case 0x02: number("temperature", "°C", 2, signed: true, -2)
    case 0x03: number("humidity", "%", 2, -2)
    case 0x04: number("pressure", "hPa", 3, -2)
    case 0x05: number("illuminance", "lx", 3, -2)
    case 0x06: number("mass", "kg", 2, -2)
    case 0x07: number("mass", "lb", 2, -2)
    case 0x08: number("dew_point", "°C", 2, signed: true, -2)
    case 0x09: number("count", nil, 1)
    case 0x0A: number("energy", "kWh", 3, -3)
    case 0x0B: number("power", "W", 3, -2)
    case 0x0C: number("voltage", "V", 2, -3)
    case 0x0D: number("pm25", "µg/m³", 2)
    case 0x0E: number("pm10", "µg/m³", 2)
    case 0x0F: .flag("state")
    case 0x10: .flag("power_on")
    case 0x11: .flag("opening")
    case 0x12: number("co2", "ppm", 2)
    case 0x13: number("voc", "µg/m³", 2)
    case 0x14: number("moisture", "%", 2, -2)
    case 0x15: .flag("battery_low")
    case 0x16: .flag("battery_charging")
    case 0x17: .flag("carbon_monoxide")
    case 0x18: .flag("cold")
    case 0x19: .flag("connectivity")
    case 0x1A: .flag("door")
    case 0x1B: .flag("garage_door")
    case 0x1C: .flag("gas_detected")
    case 0x1D: .flag("heat")
    case 0x1E: .flag("light")
    case 0x1F: .flag("unlocked")
    case 0x20: .flag("moisture_detected")
    case 0x21: .flag("motion")
    case 0x22: .flag("moving")
    case 0x23: .flag("occupancy")
    case 0x24: .flag("plug")
    case 0x25: .flag("presence")
    case 0x26: .flag("problem")
    case 0x27: .flag("running")
    case 0x28: .flag("safe")
    case 0x29: .flag("smoke")
    case 0x2A: .flag("sound")
    case 0x2B: .flag("tamper")
    case 0x2C: .flag("vibration")
    case 0x2D: .flag("window")
    case 0x2E: number("humidity", "%", 1)
    case 0x2F: number("moisture", "%", 1)
    case 0x3A: .button
    case 0x3B: .command
    case 0x3C: .dimmer
    default: laterObject(id)
    }
  }

  private static func laterObject(_ id: UInt8) -> Object? {
    switch id {
    case 0x3D: number("count", nil, 2)
    case 0x3E: number("count", nil, 4)
    case 0x3F: number("rotation", "°", 2, signed: true, -1)
    case 0x40: number("distance", "mm", 2)
    case 0x41: number("distance", "m", 2, -1)
    case 0x42: number("duration", "s", 3, -3)
    case 0x43: number("current", "A", 2, -3)
    case 0x44: number("speed", "m/s", 2, -2)
    case 0x45: number("temperature", "°C", 2, signed: true, -1)
    case 0x46: number("uv_index", nil, 1, -1)
    case 0x47: number("volume", "L", 2, -1)
    case 0x48: number("volume", "mL", 2)
    case 0x49: number("volume_flow_rate", "m³/h", 2, -3)
    case 0x4A: number("voltage", "V", 2, -1)
    case 0x4B: number("gas", "m³", 3, -3)
    case 0x4C: number("gas", "m³", 4, -3)
    case 0x4D: number("energy", "kWh", 4, -3)
    case 0x4E: number("volume", "L", 4, -3)
    case 0x4F: number("water", "L", 4, -3)
    case 0x50: number("timestamp", nil, 4)
    case 0x51: number("acceleration", "m/s²", 2, -3)
    case 0x52: number("gyroscope", "°/s", 2, -3)
    case 0x53: .text("text")
    case 0x54: .bytes("raw")
    case 0x55: number("volume_storage", "L", 4, -3)
    case 0x56: number("conductivity", "µS/cm", 2)
    case 0x57: number("temperature", "°C", 1, signed: true)
    case 0x58: number("temperature", "°C", 1, signed: true, factor: 35, -2)
    case 0x59: number("count", nil, 1, signed: true)
    case 0x5A: number("count", nil, 2, signed: true)
    case 0x5B: number("count", nil, 4, signed: true)
    case 0x5C: number("power", "W", 4, signed: true, -2)
    case 0x5D: number("current", "A", 2, signed: true, -3)
    case 0x5E: number("direction", "°", 2, -2)
    case 0x5F: number("precipitation", "mm", 2, -1)
    case 0x60: number("channel", nil, 1)
    case 0x61: number("rotational_speed", "rpm", 2)
    case 0x62: number("speed", "m/s", 4, signed: true, -6)
    case 0x63: number("acceleration", "m/s²", 4, signed: true, -6)
    case 0x64: number("light_level", nil, 1)
    case 0x65: number("settings_revision", nil, 1)
    case 0xF0: number("device_type", nil, 2)
    case 0xF1: .version(byteCount: 4)
    case 0xF2: .version(byteCount: 3)
    default: nil
    }
  }
}
