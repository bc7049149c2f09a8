// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// One device of a running scene: when it sends next, and which reports the controller makes of its packets.
struct Advertiser: Sendable {
  private let device: SceneDevice
  private let seed: UInt64
  private let timetable: Timetable
  private var clock: AdvertisingClock
  private var signal: SimulatedSignal

  /// From a PDU to its scan response: twice the inter-frame space, the request, and some air time (Volume 6, Part B,
  /// 4.1.1 and 4.4.2.3).
  private static var responseMicroseconds: Int64 { 700 }
  /// From one packet of a chain to the next.
  private static var fragmentMicroseconds: Int64 { 2500 }

  /// How many stays one interval may skip on the way to the next event; a device that skips more is not heard.
  private static var missedStaysMax: Int { 1000 }

  /// The device's script restarts every `periodMicroseconds`; its address and its random numbers do not.
  init(_ device: SceneDevice, seed: UInt64, periodMicroseconds: Int64? = nil) {
    self.device = device
    timetable = Timetable(presence: device.presence, periodMicroseconds: periodMicroseconds)
    self.seed = seed
    clock = AdvertisingClock(
      intervalMilliseconds: device.intervalMilliseconds, jitterMilliseconds: device.jitterMilliseconds,
      dice: SeededGenerator(seed: seed, stream: 0))
    signal = SimulatedSignal(device.signal, dice: SeededGenerator(seed: seed, stream: 1))
  }

  /// The next advertising event, or nil when the device has left for good. Skips absences.
  mutating func nextEvent() -> Instant? {
    for _ in 0..<Self.missedStaysMax {
      guard let stay = timetable.stay(endingAfter: clock.time) else { return nil }
      if stay.lowerBound > clock.time { clock.skip(to: stay.lowerBound) }
      if stay.contains(clock.time) { return clock.time }
    }
    return nil
  }

  /// Sends once, and returns what `scanner` receives, in order of time.
  mutating func send(to scanner: ScanSettings) -> [TimedReport] {
    let time = clock.time
    clock.advance()
    let phy = device.advertising.primaryPHY
    guard scanner.hears(device.advertising), let channel = scanner.channel(on: phy, at: time) else {
      return []
    }
    let slot = Slot(
      time: time, channel: channel, address: device.address.address(at: time, seed: seed), scanner: scanner)
    switch device.advertising {
    case .legacy(let pdu): return legacy(pdu, in: slot)
    case .directed(let target): return directed(to: target, in: slot)
    case .extended(let set): return extended(set, in: slot)
    }
  }

  /// One advertising event and the scanner that listens to it.
  private struct Slot {
    var time: Instant
    var channel: AdvertisingChannel
    var address: DeviceAddress
    var scanner: ScanSettings

    func later(_ microseconds: Int64) -> Self {
      var slot = self
      slot.time.microseconds += microseconds
      return slot
    }
  }

  private mutating func legacy(_ pdu: AdvertisingPDU, in slot: Slot) -> [TimedReport] {
    guard let level = level(in: slot) else { return [] }
    let report = AirReport(pdu, from: slot.address, rssi: level, payload(at: slot.time))
    return [slot.scanner.heard(report, at: slot.time)]
      + response(to: pdu, in: slot.later(Self.responseMicroseconds))
  }

  private mutating func response(to pdu: AdvertisingPDU, in slot: Slot) -> [TimedReport] {
    guard slot.scanner.isActive(on: .le1M), pdu == .connectable || pdu == .scannable,
      let response = device.scanResponse, let level = level(in: slot)
    else { return [] }
    let report = AirReport(.scanResponse, from: slot.address, rssi: level, response)
    return [slot.scanner.heard(report, of: pdu, at: slot.time)]
  }

  private mutating func directed(to target: DeviceAddress, in slot: Slot) -> [TimedReport] {
    guard let level = level(in: slot) else { return [] }
    let report = AirReport(directedTo: target, from: slot.address, rssi: level)
    return [slot.scanner.heard(report, at: slot.time)]
  }

  private mutating func extended(_ set: AdvertisingSet, in slot: Slot) -> [TimedReport] {
    var report = AirReport(
      extendedFrom: slot.address, set: set.id, properties: set.properties, primary: set.primaryPHY,
      secondary: set.secondaryPHY, txPower: set.txPower, payload(at: slot.time))
    let heard = chain(report, of: set, in: slot)
    guard let last = heard.last, slot.scanner.isActive(on: set.primaryPHY),
      set.properties.contains(.scannable),
      let response = device.scanResponse
    else { return heard }
    report.data = response.bytes
    report.header.properties.insert(.scanResponse)
    let elapsed = last.time.microseconds - slot.time.microseconds
    return heard + chain(report, of: set, in: slot.later(elapsed + Self.responseMicroseconds))
  }

  /// The fragments of a report; after a lost one the controller drops the remaining ones.
  private mutating func chain(
    _ report: AirReport, of set: AdvertisingSet, in start: Slot
  ) -> [TimedReport] {
    var heard: [TimedReport] = []
    var slot = start
    for var fragment in report.fragments(of: set.fragmentByteCount) {
      guard let level = level(in: slot) else {
        heard.markTruncated()
        return heard
      }
      fragment.header.rssi = level
      heard.append(TimedReport(time: slot.time, format: .extended, report: fragment))
      slot = slot.later(Self.fragmentMicroseconds)
    }
    return heard
  }

  private func payload(at time: Instant) -> AdvertisingPayload {
    device.payloads.payload(at: timetable.scriptTime(at: time))
  }

  private mutating func level(in slot: Slot) -> Int8? {
    let place = timetable.scriptTime(at: slot.time)
    guard let level = signal.level(at: slot.time, place: place, channel: slot.channel) else { return nil }
    return device.hasReading ? level : ReportHeader.noRSSI
  }
}
