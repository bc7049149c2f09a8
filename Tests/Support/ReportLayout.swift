// SPDX-License-Identifier: GPL-3.0-or-later

/// An H4 packet with an LE Meta event: subevent, number of reports, reports.
public func reportEvent(_ subevent: UInt8, _ reports: [[UInt8]]) -> [UInt8] {
  let parameters = [subevent, UInt8(reports.count)] + reports.joined()
  return [0x04, 0x3E, UInt8(parameters.count)] + parameters
}

/// A report of an LE Advertising Report event (Core Specification 5.4, Volume 4, Part E, 7.7.65.2), field by field,
/// so that a test can name the one it changes.
public struct LegacyReportLayout {
  public var eventType: UInt8 = 0x00
  public var addressType: UInt8 = 0x01
  /// Least significant byte first, as on the wire.
  public var address: [UInt8] = hex("66 55 44 33 22 C1")
  public var data: [UInt8] = []
  public var rssi: Int8 = -60

  public init() {}

  public var bytes: [UInt8] {
    [eventType, addressType] + address + [UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
  }
}

/// A report of an LE Directed Advertising Report event (7.7.65.11).
public struct DirectedReportLayout {
  public var eventType: UInt8 = 0x01
  public var addressType: UInt8 = 0x01
  public var address: [UInt8] = hex("66 55 44 33 22 C1")
  public var directAddressType: UInt8 = 0xFE
  public var directAddress: [UInt8] = hex("0D 0C 0B 0A 09 48")
  public var rssi: Int8 = -60

  public init() {}

  public var bytes: [UInt8] {
    [eventType, addressType] + address + [directAddressType] + directAddress + [UInt8(bitPattern: rssi)]
  }
}

/// A report of an LE Extended Advertising Report event (7.7.65.13).
public struct ExtendedReportLayout {
  public var eventType: UInt16 = 0
  public var addressType: UInt8 = 0x01
  public var address: [UInt8] = hex("66 55 44 33 22 C1")
  public var primaryPHY: UInt8 = 0x01
  public var secondaryPHY: UInt8 = 0x02
  public var advertisingSID: UInt8 = 0x05
  public var txPower: Int8 = 127
  public var rssi: Int8 = -60
  public var periodicInterval: UInt16 = 0
  public var directAddressType: UInt8 = 0
  public var directAddress: [UInt8] = hex("00 00 00 00 00 00")
  public var data: [UInt8] = []

  public init() {}

  public var bytes: [UInt8] {
    littleEndian(eventType) + [addressType] + address + [primaryPHY, secondaryPHY, advertisingSID]
      + [UInt8(bitPattern: txPower), UInt8(bitPattern: rssi)] + littleEndian(periodicInterval)
      + [directAddressType] + directAddress + [UInt8(data.count)] + data
  }

  private func littleEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }
}
