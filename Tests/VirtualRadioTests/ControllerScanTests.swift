// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite("A virtual controller scans")
struct ControllerScanTests {
  @Test("It reports only between enable and disable")
  func onlyWhileEnabled() {
    var host = Host(ControllerScript(), [.bulb])
    host.listen(milliseconds: 5000)
    #expect(host.heard.isEmpty)
    host.scan()
    host.listen(milliseconds: 5000)
    let during = host.reports.count
    #expect((40...52).contains(during))
    #expect(host.send(.leSetScanEnable(false)) == 0)
    let end = host.reports.count
    host.listen(milliseconds: 5000)
    #expect(host.reports.count == end && end - during <= 1)
  }

  @Test("A reset ends the scan")
  func reset() {
    var host = Host(ControllerScript(), [.bulb])
    host.scan()
    host.listen(milliseconds: 1000)
    host.send(.reset)
    let count = host.reports.count
    host.listen(milliseconds: 1000)
    #expect(count > 0 && host.reports.count == count)
  }

  @Test("Only an active scan hears scan responses", arguments: [false, true])
  func responses(isExtended: Bool) {
    for kind in [ScanParameters.Kind.passive, .active] {
      var host = Host(ControllerScript(), [.bulb])
      if isExtended { host.scanExtended(le1M: .fullTime(kind)) } else { host.scan(.fullTime(kind)) }
      host.listen(milliseconds: 3000)
      #expect(host.reports.contains { $0.header.pdu == .scanResponse } == (kind == .active))
      #expect(host.reports.contains { $0.header.pdu == .connectable })
    }
  }

  @Test(
    "Without a public address it scans passively, and actively only with a random one",
    arguments: [0, 1 << 48 - 1])
  func missingAddress(missing: UInt64) {
    var script = ControllerScript()
    script.address = missing
    for isExtended in [false, true] {
      var host = Host(script, [.bulb])
      let enable: CommandPacket = isExtended ? .leSetExtendedScanEnable(true) : .leSetScanEnable(true)
      let parameters = { (kind: ScanParameters.Kind, own: OwnAddressType) -> CommandPacket in
        isExtended
          ? .leSetExtendedScanParameters(le1M: .fullTime(kind), coded: nil, ownAddress: own)
          : .leSetScanParameters(.fullTime(kind), ownAddress: own)
      }
      #expect(host.send(parameters(.passive, .public)) == 0 && host.send(enable) == 0)
      host.send(.reset)
      #expect(host.send(parameters(.active, .public)) == 0 && host.send(enable) == 0x12)
      #expect(host.send(.leSetRandomAddress(0xC000_0000_0001)) == 0)
      #expect(host.send(parameters(.active, .random)) == 0 && host.send(enable) == 0)
    }
  }

  @Test("It receives as large a share as its window is of its interval")
  func duty() {
    var counts: [Int] = []
    for window: UInt16 in [0xA0, 0x50, 0x10] {
      var host = Host(ControllerScript(), [.bulb])
      host.scan(ScanParameters(.passive, interval: 0xA0, window: window))
      host.listen(milliseconds: 200_000)
      counts.append(host.reports.count)
    }
    #expect((1850...1950).contains(counts[0]))
    #expect((880...1020).contains(counts[1]))
    #expect((150...230).contains(counts[2]))
  }

  @Test("Filtered duplicates are reported once a scan; new data of a legacy advertiser is a duplicate")
  func duplicates() {
    var device = SceneDevice.bulb
    device.payloads = PayloadScript(
      cycle: [1, 2].map { AdvertisingPayload().manufacturerData(1, [$0]) }, turnMilliseconds: 500)
    var host = Host(ControllerScript(), [device])
    host.scan(.fullTime(.active), duplicates: true)
    host.listen(milliseconds: 5000)
    #expect(host.reports.map(\.header.pdu) == [.connectable, .scanResponse])
    host.send(.leSetScanEnable(false))
    host.send(.leSetScanEnable(true, filtersDuplicates: true))
    host.listen(milliseconds: 5000)
    #expect(host.reports.count == 4)
  }

  @Test("In extended advertising new data is no duplicate, and a chain counts as one report")
  func extendedDuplicates() {
    var device = SceneDevice.extended(3)
    device.payloads = PayloadScript(
      cycle: [1, 2].map { AdvertisingPayload(raw: Array(repeating: $0, count: 300)) }, turnMilliseconds: 2500)
    var host = Host(ControllerScript(), [device])
    host.scanExtended(duplicates: .on)
    host.listen(milliseconds: 6000)
    #expect(host.reports.map(\.data.count) == [229, 71, 229, 71])
  }

  @Test("Legacy scanning hears no extended advertising, extended scanning hears both")
  func sets() {
    var host = Host(ControllerScript(), [.bulb, .extended(3)])
    host.scan()
    host.listen(milliseconds: 3000)
    #expect(Set(host.reports.map(\.header.pdu)) == [.connectable])
    host.send(.reset)
    host.heard.removeAll()
    host.scanExtended()
    host.listen(milliseconds: 3000)
    #expect(Set(host.reports.map(\.header.pdu)) == [.connectable, .extended])
  }

  @Test("Each scanned PHY is received, and both share one receiver")
  func phys() {
    func heard(_ le1M: ScanParameters?, _ coded: ScanParameters?) -> [Int] {
      var host = Host(ControllerScript(), [.extended(1), .extended(2, primary: .coded)])
      host.scanExtended(le1M: le1M, coded: coded)
      host.listen(milliseconds: 60_000)
      return [1, 2].map { set in host.reports.filter { $0.header.advertisingSID == set }.count }
    }
    let full = ScanParameters.fullTime(.passive)
    let alone = heard(full, nil)
    #expect(alone[0] > 550 && alone[1] == 0)
    #expect(heard(nil, full)[0] == 0 && heard(nil, full)[1] > 550)
    let both = heard(full, full)
    #expect((250...310).contains(both[0]) && (250...310).contains(both[1]))
  }

  @Test(
    "Directed advertising is reported when the host is its target, or with the policy for unresolved targets")
  func directed() {
    var device = SceneDevice.bulb
    for (target, all, unresolved) in [
      (DeviceAddress(bits: ControllerScript().address, type: .public), true, true),
      (DeviceAddress(bits: 0x5B2C_90D1_44E8, type: .random), false, true),
      (DeviceAddress(bits: 0x0000_1111_2222, type: .public), false, false),
    ] {
      device.advertising = .directed(to: target)
      for (policy, isHeard) in [(ScanFilterPolicy.all, all), (.allAndUnresolved, unresolved)] {
        var host = Host(ControllerScript(), [device])
        host.scan(filter: policy)
        host.listen(milliseconds: 1000)
        #expect(host.reports.isEmpty != isHeard, "\(target) \(policy)")
      }
    }
  }

  @Test("With the accept list, no other device is reported")
  func acceptList() {
    var other = SceneDevice.bulb
    other.address = .staticRandom(2)
    var host = Host(ControllerScript(), [.bulb, other])
    host.send(0x2011, [1, 2, 0, 0, 0, 0, 0xC0])
    host.scan(filter: .acceptList)
    host.listen(milliseconds: 2000)
    #expect(!host.reports.isEmpty && host.reports.allSatisfy { $0.header.address.bits & 3 == 2 })
  }

  @Test("Masked events are not sent")
  func masks() {
    var host = Host(ControllerScript(), [.bulb])
    host.send(.leSetScanEnable(true))
    host.listen(milliseconds: 2000)
    #expect(host.reports.isEmpty)
  }

  @Test("After its duration an extended scan ends with an event; after its period it starts again")
  func duration() {
    var host = Host(ControllerScript(), [.bulb])
    host.scanExtended(duration: 100)  // 1 s
    host.listen(milliseconds: 5000)
    #expect((8...11).contains(host.reports.count))
    #expect(host.heard.last?.bytes == hex("04 3E 01 11"))
    #expect(
      host.send(.leSetExtendedScanEnable(true, duplicates: .resetEachPeriod, duration: 64, period: 1)) == 0)
    host.heard.removeAll()
    host.listen(milliseconds: 12_800)
    #expect(host.reports.count == 10)
    #expect(!host.heard.contains { $0.bytes == hex("04 3E 01 11") })
  }

  @Test("The packets do not depend on how often the host reads")
  func cuts() {
    let devices = (0..<20).map { index in
      var device = SceneDevice.bulb
      device.address = .staticRandom(UInt64(index))
      return device
    }
    func heard(step: Int64) -> [ScenePacket] {
      var host = Host(ControllerScript(), devices)
      host.scan(.fullTime(.active))
      for _ in 0..<(6000 / step) { host.listen(milliseconds: step) }
      return host.heard
    }
    let whole = heard(step: 6000)
    #expect(whole.count > 1500 && heard(step: 1) == whole && heard(step: 40) == whole)
    #expect(zip(whole, whole.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test("Reading only at the times that it announces misses no packet")
  func wakeUps() throws {
    var asleep = Host(ControllerScript(), [.bulb])
    var awake = asleep
    asleep.scan(.fullTime(.active))
    awake.scan(.fullTime(.active))
    awake.listen(milliseconds: 4000)
    let end = awake.now
    while let time = asleep.controller.nextTime, time < end {
      asleep.now = Instant(microseconds: time.microseconds + 1)
      asleep.listen(milliseconds: 0)
    }
    #expect(asleep.heard == awake.heard)
  }
}
