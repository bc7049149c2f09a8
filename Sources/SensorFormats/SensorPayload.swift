// SPDX-License-Identifier: Apache-2.0

/// What a device's advertisement says in open, documented formats: BTHome 2, Ruuvi, Eddystone TLM, iBeacon, the firmware of
/// ATC1441 and pvvx for thermometers, and service data of the Bluetooth SIG. What is encrypted says nothing.
public struct SensorPayload: Sendable {
  /// In the order of the advertisement.
  public private(set) var values: [SensorValue] = []

  /// `payload` has AD structures; those of a scan response may follow.
  public init(_ payload: [UInt8]) {
    // The scan response often repeats a structure.
    var read: [(type: UInt8, value: ArraySlice<UInt8>)] = []
    for structure in Self.structures(of: payload) where !read.contains(where: { $0 == structure }) {
      add(structure.value, type: structure.type)
      read.append(structure)
    }
  }

  /// The AD structures of a payload (Core Specification 5.4, Volume 3, Part C, 11). A length past the end loses itself and
  /// the rest.
  public static func structures(of payload: [UInt8]) -> [(type: UInt8, value: ArraySlice<UInt8>)] {
    var (structures, rest) = ([(type: UInt8, value: ArraySlice<UInt8>)](), payload[...])
    while let length = rest.popFirst() {
      // An advertisement may end early with zeros before its scan response.
      guard length > 0 else { continue }
      guard rest.count >= Int(length), let type = rest.first else { break }
      structures.append((type, rest.dropFirst().prefix(Int(length) - 1)))
      rest = rest.dropFirst(Int(length))
    }
    return structures
  }

  private mutating func add(_ data: ArraySlice<UInt8>, type: UInt8) {
    guard data.count > 2 else { return }
    let (key, body) = (UInt16(data.prefix(2).littleEndianWord), data.dropFirst(2))
    // Assigned Numbers, 2.3: 0xFF manufacturer data, 0x16 service data of a UUID of 16 bits.
    switch (type, key) {
    case (0xFF, 0x0499): add(Ruuvi.values(body))
    case (0xFF, 0x004C): add(Beacons.values(appleData: body))
    case (0x16, 0xFCD2): add(BTHome.values(body))
    case (0x16, 0xFEAA): add(Beacons.values(eddystoneData: body))
    case (0x16, 0x181A): add(Thermometers.values(body))
    case (0x16, _): add(SIGServices.values(body, service: key))
    default: break
    }
  }

  /// Adds values; one whose name is there already gets a number.
  private mutating func add(_ new: [SensorValue]) {
    for value in new {
      let count = values.count { $0.kind == value.name }
      values.append(
        count == 0 ? value : SensorValue("\(value.name)_\(count + 1)", value.content, unit: value.unit))
    }
  }
}
