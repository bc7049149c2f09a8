// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import VirtualRadio

/// Reports of a restless scene: devices that come and go, change their pace, their sets, their payloads, and how they
/// are heard. The same seed gives the same reports.
struct RandomScene {
  private var dice: SeededGenerator
  private var devices: [Advertiser]

  struct Advertiser {
    var address: DeviceAddress
    var next: Int64
    var interval: Int64
    var level: Int
    var isExtended: Bool
  }

  /// A report and its time in microseconds.
  struct Report {
    var time: Int64
    var report: AirReport
  }

  init(devices count: Int, seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    devices = (0..<count).map { number in
      Advertiser(
        address: .device(UInt64(number)), next: Int64(dice.number(below: 5_000_000)),
        interval: 100_000, level: -45 - dice.number(below: 30), isExtended: dice.chance(perMille: 300))
    }
    self.dice = dice
  }

  /// The next device's report, and often its scan response.
  mutating func next() -> [Report] {
    let index = devices.indices.min { devices[$0].next < devices[$1].next } ?? 0
    let time = devices[index].next
    let first = report(of: devices[index])
    var reports = [Report(time: time, report: first)]
    if first.header.properties.contains(.scannable), dice.chance(perMille: 500) {
      reports.append(Report(time: time + 700, report: response(to: first)))
    }
    live(index)
    return reports
  }

  /// Goes on: a new pace now and then, an absence, a step towards or away from the gateway, another address.
  private mutating func live(_ index: Int) {
    if dice.chance(perMille: 20) {
      let paces: [Int64] = [50_000, 100_000, 300_000, 1_000_000, 3_000_000, 7_000_000, 40_000_000]
      devices[index].interval = paces[dice.number(below: paces.count)]
    }
    if dice.chance(perMille: 30) { devices[index].level = -35 - dice.number(below: 40) }
    devices[index].next += devices[index].interval + Int64(dice.number(below: 10_000))
    guard dice.chance(perMille: 5) else { return }
    devices[index].next += Int64(dice.number(below: 400_000_000))
  }

  private mutating func level(around level: Int) -> Int8 {
    dice.chance(perMille: 40) ? 127 : Int8(level - 4 + dice.number(below: 9))
  }

  private mutating func report(of device: Advertiser) -> AirReport {
    let rssi = level(around: device.level)
    if dice.chance(perMille: 10) {
      var directed = AirReport(directedTo: .device(999), from: device.address, rssi: rssi).asExtended
      directed.data = []
      return directed
    }
    guard device.isExtended, dice.chance(perMille: 900) else {
      let pdus: [AdvertisingPDU] = [.connectable, .connectable, .nonConnectable]
      return AirReport(pdus[dice.number(below: 3)], from: device.address, rssi: rssi, payload())
    }
    let powers: [Int8] = [127, 127, -50, -8, 0, 6, 21]
    var report = AirReport(
      extendedFrom: device.address, set: UInt8(dice.number(below: 3)), properties: .scannable,
      txPower: powers[dice.number(below: powers.count)], rssi: rssi,
      payload(isLong: dice.chance(perMille: 200)))
    if dice.chance(perMille: 30) {
      report.header.dataStatus = .truncated
      report.data = Array(report.data.prefix(dice.number(below: report.data.count + 1)))
    }
    return report
  }

  private mutating func response(to report: AirReport) -> AirReport {
    var response = report
    response.data = payload().bytes
    response.header.dataStatus = .complete
    response.header.rssi = level(around: -55)
    response.header.properties = response.header.properties.union(.scanResponse)
    if report.header.pdu == .connectable { response.header.pdu = .scanResponse }
    return response
  }

  /// Few payloads, so that they repeat and some meet descriptors only together.
  private mutating func payload(isLong: Bool = false) -> AdvertisingPayload {
    var payload = AdvertisingPayload()
    // Half of all payloads are the same, so that a level is judged for a while.
    let kind = dice.chance(perMille: 700) ? 0 : 1 + dice.number(below: 8)
    switch kind {
    case 0, 1: payload = payload.manufacturerData(0x0EEE, [0xA5])
    case 2: payload = payload.manufacturerData(0x0EEE, [0xA5, UInt8(dice.number(below: 3))]).name("Lumo")
    case 3: payload = payload.name("A Lumo")
    case 4: payload = payload.services(BluetoothUUID(short: 0xFE0F))
    case 5: payload = payload.serviceData(BluetoothUUID(short: 0xFE0F), [UInt8(dice.number(below: 4)), 7])
    case 6: payload = payload.manufacturerData(2, []).txPowerLevel(Int8(dice.number(below: 60) - 30))
    case 7: payload = payload.manufacturerData(0x0EEE, [0xA5]).txPowerLevel(4).raw([9, 9, 1])
    default: break
    }
    return isLong
      ? payload.structure(0x26, [UInt8](repeating: 3, count: 40 + dice.number(below: 2))) : payload
  }
}

extension [DisplayItem] {
  /// Items of every kind that the scene's payloads meet.
  static var ofTheScene: Self {
    let masked = DisplayItem.company(0, "masked") {
      $0.descriptor.companyIdentifier = nil
      $0.descriptor.serviceUUID = BluetoothUUID(short: 0xFE0F)
      $0.descriptor.serviceData = MaskedBytes(blob: [0x01], mask: [0x01])
      $0.gate.lostMilliseconds = 3000
    }
    let listed = DisplayItem.rhythmic(0, "listed") {
      $0.descriptor.companyIdentifier = nil
      $0.descriptor.serviceUUID = BluetoothUUID(short: 0xFE0F)
    }
    let named = DisplayItem.company(0x0EEE, "named") { $0.descriptor.nameSubstring = [UInt8]("Lumo".utf8) }
    let powered = DisplayItem.immediate(2, "powered") { $0.txPower = -5 }
    let hasty = DisplayItem.immediate(0x0EEE, "hasty") {
      $0.enterDwellMilliseconds = 0
      $0.samplesMin = 1
      $0.leaveDwellMilliseconds = 300
      $0.silenceMilliseconds = 1000
    }
    return [.rhythmic(0x0EEE), .immediate(0x0EEE, "touch"), named, masked, powered, listed, hasty]
  }
}
