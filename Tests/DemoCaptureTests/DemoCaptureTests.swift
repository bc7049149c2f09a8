// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import TestSupport
import Testing
import make_demo_capture

@Suite struct DemoCaptureTests {
  private let demo: DemoReading

  init() throws { demo = try DemoReading() }

  @Test func theCommittedCaptureIsTheGenerators() throws {
    let path = TestData.packageRoot + "/Config/demo-scene.btsnoop"
    let committed = try FileContents(reading: path, byteCountMax: 1 << 20).bytes
    let isCurrent = committed == demo.bytes
    #expect(
      isCurrent,
      "make it again: swift run make-demo-capture Config/demo-scene.toml > Config/demo-scene.btsnoop"
    )
  }

  @Test func itIsSmallEnoughToShipAndLongEnoughToWatch() throws {
    #expect((100_000..<400_000).contains(demo.bytes.count))
    let times = demo.capture.records.map(\.time)
    #expect(times == times.sorted())
    #expect(try #require(times.last).milliseconds(since: times[0]) == 70_001)
  }

  @Test func everyKindOfPDUOccursInEveryFormat() {
    #expect(demo.formats == [.legacy, .directed, .extended])
    #expect(demo.eventsOfSeveralReports > 100)
    #expect(Set(demo.headers.map(\.pdu.rawValue)) == Set(0...5))
    #expect(demo.headers.contains { $0.properties.contains(.legacyPDU) })
  }

  @Test func theFieldsOfExtendedReportsOccur() {
    let headers = demo.headers
    #expect(Set(headers.map(\.dataStatus.rawValue)) == [0, 1, 2])
    #expect(headers.contains { $0.address.type == .anonymous })
    #expect(headers.contains { $0.primaryPHY == .coded } && headers.contains { $0.secondaryPHY == .le2M })
    #expect(headers.contains { $0.properties.contains(.unresolvedTarget) })
    #expect(headers.contains { $0.pdu == .extended && $0.properties.contains(.scanResponse) })
  }

  @Test func someLevelsAreNoReadings() {
    #expect(demo.headers.contains { !$0.hasReading })
  }

  @Test func otherPacketsThanReportsOccur() {
    #expect(Set(demo.others) == [.command, .event, .acl])
    #expect(demo.others.count > 30)
  }

  @Test func theWalletsThreeAddressesResolveWithItsKeyAndNoOthersDo() throws {
    let key = try demo.walletKey
    let addresses = Set(demo.headers.map(\.address))
    #expect(addresses.filter { key.resolves($0) }.count == 3)
    #expect(addresses.filter { $0.lifetime == .resolvablePrivate }.count > 6)
  }

  @Test func theBulbComesToTheGatewayAndLeaves() {
    let bulb = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
    #expect(demo.level(of: bulb, seconds: 0..<9) < -72)
    #expect((-42 ... -34).contains(demo.level(of: bulb, seconds: 13..<30)))
    #expect(demo.level(of: bulb, seconds: 35..<70) < -72)
  }
}
