// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite struct ExtendedSceneTests {
  private let long = AdvertisingPayload(raw: (0..<200).map { UInt8($0) })

  @Test func legacyScansDoNotHearExtendedAdvertising() {
    #expect(listen(Scene([station()], seed: 1), seconds: 5) == [])
  }

  @Test func aChainCarriesThePayloadInOrderWithItsLastFragmentComplete() throws {
    let heard = try reports(listen(Scene([station()], scanner: extended, seed: 1), seconds: 5))
    #expect(heard.count > 3 * 40)
    for start in stride(from: 0, to: heard.count - 2, by: 3) {
      let chain = heard[start..<(start + 3)]
      #expect(chain.flatMap(\.data) == long.bytes)
      #expect(chain.map(\.header.dataStatus) == [.incomplete, .incomplete, .complete])
      #expect(chain.allSatisfy { $0.header.advertisingSID == 3 && $0.header.secondaryPHY == .le2M })
    }
  }

  @Test func aLostFragmentTruncatesItsChain() throws {
    var lossy = station()
    lossy.signal.lossPerMille = 300
    let heard = try reports(listen(Scene([lossy], scanner: extended, seed: 1), seconds: 20))
    let ends = heard.filter { $0.header.dataStatus != .incomplete }.map(\.header.dataStatus)
    #expect(ends.contains(.truncated) && ends.contains(.complete))
    for (report, following) in zip(heard, heard.dropFirst()) {
      #expect((following.data.first == 0) == (report.header.dataStatus != .incomplete))
    }
  }

  @Test func aScannableSetAnswersActiveScansWithItsData() throws {
    var set = AdvertisingSet(id: 1, properties: .scannable)
    set.fragmentByteCount = 80
    let headset = SceneDevice(
      .staticRandom(2), .extended(set), payloads: PayloadScript(AdvertisingPayload()), scanResponse: long,
      intervalMilliseconds: 100, signal: SignalModel(.steady(-60)))
    let heard = try reports(listen(Scene([headset], scanner: extended, seed: 1), seconds: 1))
    let areResponses = heard.prefix(4).map { $0.header.properties.contains(.scanResponse) }
    #expect(areResponses == [false, true, true, true])
    #expect(heard.prefix(4).flatMap(\.data) == long.bytes)
  }

  @Test func legacyAdvertisersKeepTheirPDUInExtendedEvents() throws {
    let bulb = SceneDevice(
      .staticRandom(1), payloads: PayloadScript(AdvertisingPayload()), scanResponse: AdvertisingPayload(),
      intervalMilliseconds: 100, signal: SignalModel(.steady(-60)))
    let heard = try reports(listen(Scene([bulb], scanner: extended, seed: 1), seconds: 1))
    #expect(heard[0].header.pdu == .connectable && heard[1].header.pdu == .scanResponse)
    #expect(heard.allSatisfy { $0.header.properties.contains(.legacyPDU.union(.connectable)) })
  }

  private func station() -> SceneDevice {
    var set = AdvertisingSet(id: 3)
    set.secondaryPHY = .le2M
    set.fragmentByteCount = 80
    return SceneDevice(
      .anonymous, .extended(set), payloads: PayloadScript(long), intervalMilliseconds: 100,
      signal: SignalModel(.steady(-60)))
  }

  private var extended: ScanSettings {
    var scanner = ScanSettings()
    scanner.isExtended = true
    return scanner
  }
}
