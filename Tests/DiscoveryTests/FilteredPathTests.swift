// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("The data path behind the kernel's filter")
struct FilteredPathTests {
  private static let company: UInt16 = 0x0EEE

  private func harness(_ adjust: (inout DiscoveryDescriptor) -> Void) -> DataPathHarness {
    let harness = DataPathHarness(.company(Self.company) { adjust(&$0.descriptor) })
    harness.isFiltered = true
    return harness
  }

  @Test("A device that matches nothing makes no row, and takes none from another; its reports are counted")
  func nearMiss() {
    let harness = harness { $0.manufacturerData = MaskedBytes(blob: [7]) }
    for number in 1...50 as ClosedRange<UInt64> {
      harness.hear(number, -60, .made(by: Self.company, 8), at: Int64(number))
    }
    #expect(harness.deviceCount == 0 && harness.counters.reports == 50)
    harness.hear(1, -60, .made(by: Self.company, 7), at: 100)
    #expect(harness.deviceCount == 1 && harness.lines() == ["100 found bulb 1 matched"])
    harness.hear(1, -60, .made(by: Self.company, 8), at: 200)
    #expect(harness.device(1)?.reportCount == 2)
  }

  @Test("A clause in the advertisement and one in the scan response match together, whichever comes first")
  func twoParts() {
    for isDataFirst in [true, false] {
      let harness = harness { $0.nameSubstring = Array("Lumo".utf8) }
      for step in 0..<2 {
        if (step == 0) == isDataFirst {
          harness.hear(1, -60, .made(by: Self.company), at: Int64(step))
        } else {
          harness.hear(response: AdvertisingPayload().name("Lumo"), of: 1, -60, at: Int64(step))
        }
      }
      #expect(harness.lines() == ["1 found bulb 1 matched"])
    }
  }

  @Test("An item that asks only for a name makes no rows of other names")
  func names() {
    let harness = harness {
      $0.companyIdentifier = nil
      $0.nameSubstring = Array("Lumo".utf8)
    }
    harness.hear(1, -60, AdvertisingPayload().name("Kettle"), at: 0)
    #expect(harness.deviceCount == 0)
    harness.hear(2, -60, AdvertisingPayload().name("Lumo 2"), at: 1)
    #expect(harness.lines() == ["1 found bulb 2 matched"])
  }

  @Test("An accessory has a row, whatever it sends")
  func accessory() {
    let harness = harness { _ in }
    #expect(harness.setAccessory(.device(1)))
    harness.hear(1, -60, AdvertisingPayload().name("Kettle"), at: 0)
    #expect(harness.deviceCount == 1)
  }

  @Test(
    "A device that was lost in silence is lost as late the next time as without the filter: it was heard whole before"
  )
  func pauses() {
    let losses = [false, true].map { isFiltered in
      let harness = DataPathHarness(.rhythmic(Self.company))
      harness.isFiltered = isFiltered
      for burst in 0..<4 as Range<Int64> {
        for copy in 0..<6 as Range<Int64> {
          harness.hear(1, -60, .made(by: Self.company), at: burst * 600_000 + copy * 100)
        }
      }
      return harness.lines(until: 20_000_000)
    }
    #expect(losses[1] == losses[0] && losses[0].count == 4)
  }
}
