// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite struct SceneTests {
  private let bulb = SceneDevice(
    .staticRandom(1),
    payloads: PayloadScript(AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1])),
    scanResponse: AdvertisingPayload().name("Lumo"), intervalMilliseconds: 100,
    signal: SignalModel(.steady(-60)))

  @Test func packetsComeInOrderOfTimeAndParse() throws {
    let packets = listen(Scene(Array(repeating: bulb, count: 30), seed: 3), seconds: 20)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(try reports(packets).count > 30 * 2 * 180)
  }

  @Test func theSameSeedGivesTheSameBytesAndAnotherSeedOthers() {
    #expect(listen(Scene([bulb], seed: 1), seconds: 9) == listen(Scene([bulb], seed: 1), seconds: 9))
    #expect(listen(Scene([bulb], seed: 1), seconds: 9) != listen(Scene([bulb], seed: 2), seconds: 9))
  }

  @Test func withoutBatchesThePacketsDoNotDependOnTheStepsOfTime() {
    var scanner = ScanSettings()
    scanner.batchPerMille = 0
    var scene = Scene([bulb, bulb], scanner: scanner, seed: 1)
    var pieces: [ScenePacket] = []
    for second in 1...9 {
      while let packet = scene.next(before: .seconds(Int64(second))) { pieces.append(packet) }
    }
    #expect(pieces == listen(Scene([bulb, bulb], scanner: scanner, seed: 1), seconds: 9))
  }

  @Test func oneMoreDeviceDoesNotChangeTheOthers() throws {
    var other = bulb
    other.address = .staticRandom(2)
    let alone = try reports(listen(Scene([bulb], seed: 1), seconds: 9))
    let both = try reports(listen(Scene([bulb, other], seed: 1), seconds: 9))
    #expect(both.filter { $0.header.address.bits & 3 == 1 } == alone)
  }

  @Test func onlyActiveScansHearScanResponses() throws {
    var scanner = ScanSettings()
    let active = try reports(listen(Scene([bulb], scanner: scanner, seed: 1), seconds: 9))
    #expect(active.filter { $0.header.pdu == .scanResponse }.count == active.count / 2)
    scanner.isActive = false
    let passive = try reports(listen(Scene([bulb], scanner: scanner, seed: 1), seconds: 9))
    #expect(!passive.isEmpty && passive.allSatisfy { $0.header.pdu == .connectable })
  }

  @Test func aPartTimeScanReceivesItsShare() throws {
    var scanner = ScanSettings()
    scanner.isActive = false
    scanner.schedule = .duty(percent: 30)
    let heard = try reports(listen(Scene([bulb], scanner: scanner, seed: 1), seconds: 1050)).count
    #expect((2700...3300).contains(heard))
  }

  @Test func someEventsHoldSeveralReports() throws {
    let packets = listen(Scene(Array(repeating: bulb, count: 20), seed: 3), seconds: 20)
    let counts = try packets.map { try reports([$0]).count }
    #expect(counts.contains(1) && counts.contains(2) && counts.contains { $0 > 2 })
  }

  @Test func aDeviceIsHeardOnlyWhileItIsPresent() {
    var guest = bulb
    guest.presence = [.seconds(2, 4), .seconds(8, 9)]
    let seconds = Set(listen(Scene([guest], seed: 1), seconds: 20).map { $0.time.microseconds / 1_000_000 })
    #expect(seconds == [2, 3, 8])
  }

  @Test func aSceneWithAPeriodRestartsItsScriptAndContinuesItsRandomNumbers() throws {
    var guest = bulb
    guest.address = .nonResolvable(rotationSeconds: 15)
    guest.presence = [.seconds(2, 4), .seconds(8, 99)]
    guest.payloads = PayloadScript(
      cycle: [1, 2, 3].map { AdvertisingPayload().manufacturerData(1, [$0]) }, turnMilliseconds: 4000)
    guest.signal.path = SignalPath([.init(seconds: 2, level: -90), .init(seconds: 10, level: -30)])
    let scene = Scene([guest], seed: 1, periodMicroseconds: 10_000_000)
    let packets = listen(scene, seconds: 40)
    #expect(packets == listen(scene, seconds: 40))
    let seconds = Set(packets.map { $0.time.microseconds / 1_000_000 })
    #expect(seconds == [2, 3, 8, 9, 12, 13, 18, 19, 22, 23, 28, 29, 32, 33, 38, 39])
    for turn in 0..<4 {
      let early = try reports(packets.filter { $0.time.microseconds / 1_000_000 == Int64(turn) * 10 + 2 })
      let late = try reports(packets.filter { $0.time.microseconds / 1_000_000 == Int64(turn) * 10 + 9 })
      #expect(early.allSatisfy { $0.header.rssi < -70 } && late.allSatisfy { $0.header.rssi > -50 })
      #expect(early.contains { $0.data.last == 1 } && late.contains { $0.data.last == 3 })
    }
    #expect(Set(try reports(packets).map(\.header.address)).count == 3)
    let levels = [2, 12].map { start in packets.filter { $0.time.microseconds / 1_000_000 == start } }
    #expect(try reports(levels[0]).map(\.header.rssi) != reports(levels[1]).map(\.header.rssi))
  }

  @Test func aPeriodChangesNothingForADeviceThatDoesNotMove() {
    let once = listen(Scene([bulb], seed: 1), seconds: 30)
    #expect(once == listen(Scene([bulb], seed: 1, periodMicroseconds: 7_000_000), seconds: 30))
  }

  @Test func aDeviceWhoseIntervalSkipsEveryStayIsNotHeardAndStopsNoOther() {
    var rare = bulb
    rare.intervalMilliseconds = 3_600_000
    rare.presence = [Instant(microseconds: 0)..<Instant(microseconds: 1)]
    let packets = listen(Scene([rare, bulb], seed: 1, periodMicroseconds: 1_000_000), seconds: 2)
    #expect(!packets.isEmpty)
  }

  @Test func withoutJitterADeviceKeepsItsInterval() {
    var device = bulb
    device.jitterMilliseconds = 0
    device.scanResponse = nil
    let times = listen(Scene([device], seed: 1), seconds: 5).map(\.time.microseconds)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 100_000 } && times.count == 50)
  }

  @Test func aPayloadTakesItsTurnsInACycle() throws {
    var sensor = bulb
    sensor.scanResponse = nil
    sensor.payloads = PayloadScript(
      cycle: [1, 2, 3].map { AdvertisingPayload().manufacturerData(1, [$0]) }, turnMilliseconds: 1000)
    var turns: [UInt8] = []
    for report in try reports(listen(Scene([sensor], seed: 1), seconds: 5)) {
      guard let turn = report.data.last, turn != turns.last else { continue }
      turns.append(turn)
    }
    #expect(turns == [1, 2, 3, 1, 2])
  }

  @Test func aDeviceThatCannotBeMeasuredReportsNoReading() throws {
    var silent = bulb
    silent.hasReading = false
    let heard = try reports(listen(Scene([silent], seed: 1), seconds: 2))
    #expect(!heard.isEmpty && heard.allSatisfy { $0.header.rssi == ReportHeader.noRSSI })
  }

  @Test func directedAdvertisingToAPrivateAddressComesInItsOwnEvent() throws {
    var remote = bulb
    remote.advertising = .directed(to: .phone)
    let packets = listen(Scene([remote], seed: 1), seconds: 2)
    #expect(!packets.isEmpty)
    for packet in packets { #expect(VirtualRadioTests.reports(in: packet.bytes)?.format == .directed) }
    #expect(try reports(packets).allSatisfy { $0.header.directAddress == .phone && $0.data.isEmpty })
  }
}

/// Every packet before a time.
func listen(_ scene: Scene, seconds: Int64) -> [ScenePacket] {
  var scene = scene
  var packets: [ScenePacket] = []
  while let packet = scene.next(before: .seconds(seconds)) { packets.append(packet) }
  return packets
}

func reports(_ packets: [ScenePacket]) throws -> [AirReport] {
  try packets.flatMap { try #require(reports(in: $0.bytes)).reports }
}
