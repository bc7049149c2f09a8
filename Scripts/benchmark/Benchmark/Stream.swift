// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// Advertising as a busy building sends it: H4 packets, one report each, back to back in one buffer.
struct Stream {
  static let deviceCount = 600
  /// Every fiftieth device is one that the descriptors look for.
  static let targetCount = 12

  private(set) var bytes: [UInt8] = []
  private(set) var starts: [Int] = [0]
  private var generator: SeededGenerator
  private var devices: [StreamDevice] = []
  /// Parts per thousand of reports whose payload is new.
  private let changePerMille: Int
  private let format: ReportFormat

  var count: Int { starts.count - 1 }

  /// `collides`: the devices have addresses that were chosen to have one slot of the address index, under the hash that
  /// it has without a key.
  init(reports: Int, _ format: ReportFormat, changePerMille: Int, collides: Bool = false, seed: UInt64 = 1) {
    self.format = format
    generator = SeededGenerator(seed: seed)
    self.changePerMille = changePerMille
    for index in 0..<Self.deviceCount {
      var device = StreamDevice(index, &generator)
      while collides, Self.slotWithoutKey(of: device.address) != 0 { device.drawAddress(&generator) }
      devices.append(device)
    }
    for index in 0..<reports {
      append(index < devices.count ? index : generator.number(below: devices.count))
    }
  }

  /// The first `count` beacons that a descriptor looks for, each of which alternates two constant frames: one that matches
  /// and one of another kind.
  init(alternatingBeacons count: Int, reports: Int, _ format: ReportFormat, seed: UInt64 = 1) {
    self.format = format
    generator = SeededGenerator(seed: seed)
    changePerMille = 0
    let beacons = (0..<count).map { StreamDevice(50 * $0, &generator) }
    let other = AdvertisingPayload().flags(0x06).serviceData(
      BluetoothUUID(short: 0xFEAA), [0x10, 0, 0x67, 1, 2])
    for index in 0..<reports {
      let beacon = beacons[index % beacons.count]
      let payload = index / beacons.count % 2 == 0 ? beacon.payload : other
      bytes += ReportEncoder.event(format, AirReport(.connectable, from: beacon.address, rssi: -60, payload))
      starts.append(bytes.count)
    }
  }

  /// Devices that one item finds, in turn: those that have a place, and five times as many that are turned away because all
  /// places are taken by stronger ones.
  init(fullItemOf places: Int, reports: Int, _ format: ReportFormat, seed: UInt64 = 1) {
    self.format = format
    generator = SeededGenerator(seed: seed)
    changePerMille = 0
    let crowd = (0..<(6 * places)).map { _ in StreamDevice(0, &generator) }
    for index in 0..<reports {
      let place = index % crowd.count
      let rssi: Int8 = place < places ? -50 : -80
      let report = AirReport(.connectable, from: crowd[place].address, rssi: rssi, crowd[place].payload)
      bytes += ReportEncoder.event(format, report)
      starts.append(bytes.count)
    }
  }

  /// Bits 32 to 43 of a product with a constant, for 2,000 rows.
  private static func slotWithoutKey(of address: DeviceAddress) -> UInt64 {
    (address.word &* 0x9E37_79B9_7F4A_7C15) >> 32 & 4095
  }

  private mutating func append(_ index: Int) {
    if generator.chance(perMille: changePerMille) { devices[index].revision &+= 1 }
    let rssi = Int8(-90 + generator.number(below: 40))
    let report = AirReport(.connectable, from: devices[index].address, rssi: rssi, devices[index].payload)
    bytes += ReportEncoder.event(format, report)
    starts.append(bytes.count)
  }
}

/// One advertiser of the stream: two or three AD structures, some bytes of which count up.
struct StreamDevice {
  private(set) var address: DeviceAddress
  let index: Int
  private let kind: Kind
  private let bytes: [UInt8]
  var revision: UInt16 = 0

  private enum Kind {
    case manufacturer(UInt16)
    case services(Int)
    case longService
    case serviceData
    case name
    case target
  }

  init(_ index: Int, _ generator: inout SeededGenerator) {
    self.index = index
    address = Self.address(&generator)
    bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    kind = index % 50 == 0 ? .target : Self.kind(&generator)
  }

  /// Gives the device another address.
  mutating func drawAddress(_ generator: inout SeededGenerator) { address = Self.address(&generator) }

  private static func address(_ generator: inout SeededGenerator) -> DeviceAddress {
    DeviceAddress(bits: generator.next() & (1 << 48 - 1) | 0xC000_0000_0000, type: .random)
  }

  private static func kind(_ generator: inout SeededGenerator) -> Kind {
    switch generator.number(below: 100) {
    case 0..<24: .manufacturer(0x004C)
    case 24..<34: .manufacturer(0x0006)
    case 34..<50: .manufacturer(UInt16(0x0100 + generator.number(below: 0x0A00)))
    case 50..<68: .services(1 + generator.number(below: 6))
    case 68..<74: .longService
    case 74..<92: .serviceData
    default: .name
    }
  }

  var payload: AdvertisingPayload {
    let start = AdvertisingPayload().flags(0x06)
    let counter = [UInt8(revision & 0xFF), UInt8(revision >> 8)]
    switch kind {
    case .manufacturer(let company):
      return start.manufacturerData(company, [bytes[0] & 0x1F] + Array(bytes[1..<12]) + counter)
    case .services(let count):
      let list = (0..<count).flatMap { [UInt8(0x0A + 3 * $0), UInt8(0x18)] }
      return start.structure(.completeServices16, list).shortenedName("Sensor \(revision)")
    case .longService:
      return start.structure(.completeServices128, bytes).structure(.shortenedName, counter)
    case .serviceData:
      let uuid = BluetoothUUID(short: 0xFD00 + UInt32(bytes[0] & 0x3F))
      return start.serviceData(uuid, Array(bytes[1..<10]) + counter)
    case .name:
      return start.name("Scene \(index) \(revision)").txPowerLevel(-4)
    case .target:
      return start.manufacturerData(
        Descriptors.targetCompany(index / 50), [0xA5, UInt8(index / 50), 0x10] + counter)
    }
  }
}
