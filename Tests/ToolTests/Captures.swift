// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// Small captures that say one thing each.
enum Captures {
  static let bulb = DeviceAddress(bits: 0xC464_E312_3456, type: .random)
  static let lamp = DeviceAddress(bits: 0x00A0_5012_3456, type: .public)

  /// 2024-01-01, so that nothing depends on today.
  private static let start = Instant(microseconds: 1_704_067_200_000_000)

  /// Packets and the milliseconds they came at.
  static func capture(_ packets: [(Int64, [UInt8])]) -> [UInt8] {
    var writer = CaptureWriter(start: start)
    for (milliseconds, packet) in packets {
      let time = Instant(microseconds: 0).advanced(milliseconds: milliseconds)
      writer.append(packet, isReceived: packet.first == PacketKind.event.rawValue, at: time)
    }
    return writer.bytes
  }

  /// The first records of a capture with other times, in the format's own count.
  static func stamped(_ capture: [UInt8], _ times: [UInt64]) -> [UInt8] {
    var stamped = Array(capture.prefix(Btsnoop.headerByteCount))
    var offset = stamped.count
    for time in times {
      let included = capture[(offset + 4)..<(offset + 8)].reduce(0) { $0 << 8 | Int($1) }
      stamped += capture[offset..<(offset + 16)]
      stamped += (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
      stamped += capture[(offset + 24)..<(offset + 24 + included)]
      offset += 24 + included
    }
    return stamped
  }

  /// A capture whose first record is cut short by one byte, and before whose second record `drops` packets were lost.
  static func lossy(_ capture: [UInt8], drops: UInt8) -> [UInt8] {
    var lossy = capture
    let first = Btsnoop.headerByteCount
    let included = capture[(first + 4)..<(first + 8)].reduce(0) { $0 << 8 | Int($1) }
    lossy[first + 3] += 1
    lossy[first + 24 + included + 15] = drops
    return lossy
  }

  /// Every kind of report, and packets that are none.
  static let everyReport: [UInt8] = capture([
    (0, PacketEncoder.command(0x200C, [1, 0])),
    (1, PacketEncoder.commandComplete(0x200C)),
    (250, ReportEncoder.event(.legacy, AirReport(.connectable, from: bulb, rssi: -63, everything))),
    (
      251,
      ReportEncoder.event(
        .legacy, AirReport(.scanResponse, from: bulb, rssi: -62, AdvertisingPayload().name("Lumo bulb")),
        AirReport(.nonConnectable, from: lamp))
    ),
    (300, ReportEncoder.event(.directed, AirReport(directedTo: lamp, from: bulb, rssi: -40))),
    (310, ReportEncoder.event(.extended, AirReport(.scannable, from: lamp, rssi: -80).asExtended)),
    (
      400,
      ReportEncoder.event(
        .extended,
        AirReport(
          extendedFrom: .anonymous, set: 3, properties: .connectable, primary: .coded, secondary: .coded,
          txPower: 8, rssi: -91, AdvertisingPayload().txPowerLevel(4)))
    ),
  ])

  private static let everything = AdvertisingPayload()
    .flags(6)
    .services(BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0xFE0F))
    .manufacturerData(0x0EEE, [0xA5, 0x5A, 0x00, 0x12])
    .appearance(0x0541)
    .structure(0x3D, [1, 2, 3])

  /// Ten times a company in one frame, and a name in another.
  static let split: [UInt8] = frames(
    AdvertisingPayload().flags(6).manufacturerData(0x0EEE, [1, 2]),
    AdvertisingPayload().flags(6).name("Push 1"))
  /// Both in one frame.
  static let whole: [UInt8] = frames(
    AdvertisingPayload().flags(6).manufacturerData(0x0EEE, [1, 2]).name("Push 1"))

  private static func frames(_ payloads: AdvertisingPayload...) -> [UInt8] {
    let device = DeviceAddress(bits: 0xC000_0000_0007, type: .random)
    return capture(
      (0..<20).map { step in
        let report = AirReport(.connectable, from: device, rssi: -50, payloads[step % payloads.count])
        return (Int64(step) * 200, ReportEncoder.event(.legacy, report))
      })
  }

  /// A name as the air has it, in one report.
  static func named(_ name: [UInt8]) -> [UInt8] {
    let payload = AdvertisingPayload().structure(.completeName, name)
    return capture([
      (0, ReportEncoder.event(.legacy, AirReport(.connectable, from: bulb, rssi: -50, payload)))
    ])
  }

  /// Extended advertising in three fragments.
  static let chain: [UInt8] = {
    let payload = AdvertisingPayload().manufacturerData(0x0EEE, [UInt8](repeating: 0xAB, count: 250))
      .name("Long")
    let report = AirReport(extendedFrom: lamp, set: 1, properties: .connectable, rssi: -55, payload)
    let fragments = report.fragments(of: 100)
    return capture(
      fragments.enumerated().map { (Int64($0 * 10), ReportEncoder.event(.extended, $1)) })
  }()

  /// A device with two advertising sets: service data in set 1, a name in set 2, which is heard last.
  static let twoSets: [UInt8] = {
    let first = extended(set: 1, AdvertisingPayload().serviceData(BluetoothUUID(short: 0x184E), [1, 2, 3]))
    let second = extended(set: 2, AdvertisingPayload().name("Buds"))
    return capture((0..<10).flatMap { (step: Int64) in [(step * 100, first), (step * 100 + 10, second)] })
  }()

  private static func extended(set: UInt8, _ payload: AdvertisingPayload) -> [UInt8] {
    let report = AirReport(extendedFrom: lamp, set: set, properties: .connectable, rssi: -55, payload)
    return ReportEncoder.event(.extended, report)
  }

  /// Ten reports without a reading, and a minute later a report of another device.
  static let silent: [UInt8] = capture(
    (0..<10).map { step in
      let payload = AdvertisingPayload().name("Lumo")
      let report = AirReport(.connectable, from: bulb, rssi: 127, payload.manufacturerData(0x0EEE, []))
      return (Int64(step) * 600, ReportEncoder.event(.legacy, report))
    } + [(65_400, ReportEncoder.event(.legacy, AirReport(.nonConnectable, from: lamp)))])

  /// AD structures that lose something, each in its own way.
  static let malformed: [UInt8] = capture([
    (
      0,
      ReportEncoder.event(
        .legacy, AirReport(.connectable, from: lamp, rssi: -50, .init(raw: [2, 1, 6, 9, 8, 65])))
    ),
    (1, ReportEncoder.event(.legacy, AirReport(.connectable, from: lamp, rssi: -50, .init(raw: [0, 0, 7])))),
    (
      2,
      ReportEncoder.event(
        .legacy, AirReport(.connectable, from: lamp, rssi: 127, .init(raw: [3, 10, 1, 2, 2, 1, 4])))
    ),
  ])
}
