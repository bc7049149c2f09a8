// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Transmit power, offsets and overrides of the immediate gate")
struct GatePowerTests: GateTesting {
  @Test("A claimed power over 0 dBm raises both thresholds by as much", arguments: [0, 4, 8, 20] as [Int8])
  func tightening(power: Int8) {
    let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(power)
    let outside = gateway()
    send(times(30, -51 + power), to: outside, payload)
    #expect(outside.lines() == [])
    let inside = gateway()
    send(times(10, -50 + power), to: inside, payload)
    #expect(inside.lines() == ["400 found bulb 1 entered"])
    send(times(100, -58 + power), to: inside, from: 1000, payload)
    #expect(inside.lines() == [])
    send(times(40, -59 + power), to: inside, from: 11_000, payload)
    #expect(inside.sightings().map(\.sighting.reason) == [.left])
  }

  @Test("A claimed power below 0 dBm loosens nothing", arguments: [-1, -20, -40] as [Int8])
  func noLoosening(power: Int8) {
    let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(power)
    let harness = gateway()
    send(times(50, -51), to: harness, payload)
    #expect(harness.lines() == [])
    send(times(20, -45), to: harness, from: 5000, payload)
    let found = harness.sightings()
    #expect(found.count == 1)
    #expect(found[0].sighting.pathLoss == Int16(power) - Int16(found[0].sighting.filteredRSSI ?? 0))
  }

  @Test("A claim outside -40...20 dBm is not believed", arguments: [-41, -128, 21, 126, 127] as [Int8])
  func unbelievable(power: Int8) {
    let harness = gateway()
    let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(power)
    send(times(5, -50), to: harness, payload)
    let found = harness.sightings()
    #expect(found.count == 1)
    #expect(found.first?.sighting.pathLoss == nil)
  }

  @Test("A claim in the extended header tightens like one in the payload")
  func headerClaim() {
    let harness = gateway()
    for step: Int64 in 0..<30 {
      let report = AirReport(
        extendedFrom: .device(1), set: 1, properties: .connectable, txPower: 8, rssi: -45, .made(by: company))
      harness.hear(report, at: 100 * step)
    }
    #expect(harness.lines() == [])
    #expect(harness.device(1)?.claimedTxPower == 8)
  }

  @Test("The integrator's transmit power decides on path loss, whatever the device claims")
  func itemTxPower() {
    for claim: Int8 in [-40, 0, 20] {
      let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(claim)
      let harness = gateway { $0.txPower = -20 }  // enter at 50 dB: -70 dBm; leave over 58 dB: below -78
      send(times(30, -71), to: harness, payload)
      #expect(harness.lines() == [])
      send(times(30, -69), to: harness, from: 3000, payload)
      let found = harness.sightings()
      #expect(found.map(\.sighting.event) == [.found])
      #expect(found.first?.sighting.pathLoss == 49)
      send(times(100, -78), to: harness, from: 6000, payload)
      #expect(harness.lines() == [])
      send(times(60, -79), to: harness, from: 16_000, payload)
      #expect(harness.sightings().map(\.sighting.reason) == [.left])
    }
  }

  @Test("The adapter's offset is added to every reading, and events give the reading as received")
  func offset() {
    let harness = DataPathHarness(.immediate(company), offset: 9)
    send(times(5, -59), to: harness)
    let found = harness.sightings()
    #expect(found.map(\.line) == ["400 found bulb 1 entered"])
    #expect(found.first?.sighting.rssi == -59)
    #expect(found.first?.sighting.filteredRSSI == -50)
    let deaf = DataPathHarness(.immediate(company), offset: -1)
    send(times(50, -50), to: deaf)
    #expect(deaf.lines() == [])
  }

  @Test("An offset cannot push a reading out of range")
  func offsetSaturates() {
    let loud = DataPathHarness(.immediate(company), offset: 100)
    send([0], to: loud)
    #expect(loud.device(1)?.filteredRSSI == 20)
    let quiet = DataPathHarness(.immediate(company), offset: -100)
    send([-60], to: quiet)
    #expect(quiet.device(1)?.filteredRSSI == -127)
  }

  @Test("Every setting can be overridden for one item, and the others keep theirs")
  func overrides() {
    let strict = DisplayItem.immediate(company, "strict") {
      $0.enterRSSI = -40
      $0.leaveRSSI = -45
      $0.enterDwellMilliseconds = 1000
      $0.leaveDwellMilliseconds = 500
      $0.samplesMin = 8
    }
    let harness = DataPathHarness(.immediate(company, "plain"), strict)
    send(times(30, -44), to: harness)
    #expect(harness.lines() == ["400 found plain 1 entered"])
    send(times(30, -36), to: harness, from: 3000)
    let entered = harness.sightings()
    #expect(entered.map(\.item) == ["strict"])
    #expect(entered.map(\.milliseconds) == [4400])  // Over -40 with the fifth -36, and a second of dwell.
    send(times(30, -50), to: harness, from: 6000)
    let left = harness.sightings()
    #expect(left.map(\.item) == ["strict"])
    #expect(left.first?.sighting.reason == .left)
    #expect(harness.found(1) == ["plain"])
  }

  @Test("A silence longer than that of default items can be asked for")
  func longSilence() {
    let harness = entered { $0.silenceMilliseconds = 30_000 }
    #expect(harness.lines(until: 30_899) == [])
    #expect(harness.lines(until: 60_000) == ["30900 lost bulb 1 silence"])
  }

  @Test("A shorter silence can be asked for")
  func shortSilence() {
    let harness = entered { $0.silenceMilliseconds = 1000 }
    #expect(harness.lines(until: 4000) == ["1900 lost bulb 1 silence"])
  }

  @Test("A short silence holds for a device that becomes fast, too")
  func shortSilenceOfShrinkingInterval() {
    let harness = gateway { $0.silenceMilliseconds = 500 }
    send(times(5, -40), to: harness, every: 1000)  // 3 s of patience
    send(times(8, -40), to: harness, every: 100, from: 4100)  // the last at 4,800
    _ = harness.lines()
    #expect(harness.lines(until: 60_000) == ["5300 lost bulb 1 silence"])
  }
}

extension Device {
  fileprivate var filteredRSSI: Int8? { signal.filteredRSSI }
}
