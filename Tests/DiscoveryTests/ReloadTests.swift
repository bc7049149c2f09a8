// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Reload: items")
struct ReloadTests {
  private let bulb = DisplayItem.company(0x0EEE)

  @Test("An unchanged item keeps its sightings without events, whatever else of it changed")
  func unchanged() {
    let harness = DataPathHarness(bulb)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    var renamed = bulb
    renamed.name = "Another name"
    renamed.selection = .touch
    renamed.maxAccessories = 3
    let summary = harness.reload(renamed, at: 5000)
    #expect(summary == ReloadSummary(itemsKept: 1, itemsAdded: 0, itemsRemoved: 0))
    #expect(harness.lines() == [])
    #expect(harness.found(1) == ["bulb"])
    #expect(harness.device(1)?.reportCount == 1)
    #expect(harness.lines(until: 20_000) == ["10000 lost bulb 1 silence"])
  }

  @Test("A removed item that was found is lost once, with its payload")
  func removed() {
    let harness = DataPathHarness(bulb, .company(0x0EEE, "lamp"))
    harness.hear(1, -60, .made(by: 0x0EEE, 7), at: 0)
    _ = harness.lines()
    let summary = harness.reload(bulb, at: 100)
    #expect(summary == ReloadSummary(itemsKept: 1, itemsAdded: 0, itemsRemoved: 1))
    let heard = harness.sightings()
    #expect(heard.map(\.line) == ["100 lost lamp 1 reload"])
    #expect(heard.first?.payload == AdvertisingPayload.made(by: 0x0EEE, 7).bytes)
    #expect(harness.found(1) == ["bulb"])
    harness.hear(1, -60, .made(by: 0x0EEE, 7), at: 200)
    #expect(harness.lines() == [])
  }

  @Test("A new item finds the devices that are there at once, by the payload that is known")
  func added() {
    let harness = DataPathHarness(bulb)
    harness.hear(1, -60, .made(by: 2, 9), at: 0)
    harness.hear(2, -60, .made(by: 3), at: 0)
    let summary = harness.reload(bulb, .company(2, "lamp"), at: 100)
    #expect(summary == ReloadSummary(itemsKept: 1, itemsAdded: 1, itemsRemoved: 0))
    let heard = harness.sightings()
    #expect(heard.map(\.line) == ["100 found lamp 1 matched"])
    #expect(heard.first?.payload == AdvertisingPayload.made(by: 2, 9).bytes)
    #expect(harness.lines(until: 20_000) == ["10000 lost lamp 1 silence"])
  }

  @Test(
    "An item whose gate, descriptor or second identity changed is lost, then found again",
    arguments: [
      DisplayItem.company(0x0EEE) { $0.gate.lostMilliseconds = 20_000 },
      DisplayItem.company(0x0EEE) { $0.descriptor.manufacturerData = MaskedBytes(blob: [0]) },
      DisplayItem.company(0x0EEE) {
        $0.alternate = DiscoveryDescriptor()
        $0.alternate?.companyIdentifier = 9
      },
    ])
  func changed(item: DisplayItem) {
    let harness = DataPathHarness(bulb)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = harness.lines()
    let summary = harness.reload(item, at: 100)
    #expect(summary == ReloadSummary(itemsKept: 0, itemsAdded: 1, itemsRemoved: 1))
    #expect(harness.lines() == ["100 lost bulb 1 reload", "100 found bulb 1 matched"])
  }

  @Test("All losses of a reload come before its first finding")
  func order() {
    let harness = DataPathHarness(.company(1, "one"), .company(2, "two"))
    harness.hear(1, -60, .made(by: 1), at: 0)
    harness.hear(2, -60, .made(by: 2), at: 0)
    _ = harness.lines()
    harness.reload(.company(2, "deux"), .company(1, "un"), at: 10)
    #expect(
      harness.lines() == [
        "10 lost one 1 reload", "10 lost two 2 reload", "10 found un 1 matched", "10 found deux 2 matched",
      ])
  }

  @Test("What was not found is not lost")
  func outside() {
    let harness = DataPathHarness(.immediate(0x0EEE))
    harness.hear(1, -70, .made(by: 0x0EEE), at: 0)
    harness.reload(at: 10)
    #expect(harness.lines() == [])
    #expect(harness.device(1)?.matchCount == 0)
  }

  @Test("What was due before the reload happens by the old manifest, at its own time")
  func dueBefore() {
    let harness = DataPathHarness(bulb)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = harness.lines()
    harness.reload(.company(0x0EEE) { $0.gate.lostMilliseconds = 20_000 }, at: 15_000)
    #expect(harness.lines() == ["10000 lost bulb 1 silence"])
    // Heard too long ago for the old patience, and lost: only a report finds it.
    #expect(harness.lines(until: 60_000) == [])
    harness.hear(1, -60, .made(by: 0x0EEE), at: 60_001)
    #expect(harness.lines() == ["60001 found bulb 1 matched"])
  }

  @Test("A device that has been silent for longer than the new item bears is found by its next report")
  func silentDevice() {
    let harness = DataPathHarness(bulb)
    harness.hear(1, -60, .made(by: 2), at: 0)
    harness.reload(bulb, .company(2, "lamp"), at: 15_000)
    #expect(harness.lines() == [])
    harness.hear(1, -60, .made(by: 2), at: 15_500)
    #expect(harness.lines() == ["15500 found lamp 1 matched"])
  }

  @Test("After the radio was lost a new item waits until devices are heard again")
  func radioDown() {
    let harness = DataPathHarness(bulb)
    harness.hear(1, -60, .made(by: 2), at: 0)
    harness.loseRadio(at: 100)
    harness.reload(bulb, .company(2, "lamp"), at: 200)
    #expect(harness.lines() == [])
    harness.hear(1, -60, .made(by: 2), at: 300)
    #expect(harness.lines() == ["300 found lamp 1 matched"])
  }

  @Test("Another order of items is no change")
  func reordered() {
    let lamp = DisplayItem.company(0x0EEE, "lamp")
    let harness = DataPathHarness(bulb, lamp)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = harness.lines()
    let summary = harness.reload(lamp, bulb, at: 100)
    #expect(summary.itemsKept == 2)
    #expect(harness.lines() == [])
    #expect(harness.found(1) == ["lamp", "bulb"])
  }

  @Test("A change that waits for its second is reported, with the interval that holds now")
  func pendingChange() {
    let harness = DataPathHarness(bulb)
    harness.hear(1, -60, .made(by: 0x0EEE, 0), at: 0)
    harness.hear(1, -60, .made(by: 0x0EEE, 1), at: 100)
    _ = harness.lines()
    let slower = GatewayManifest([bulb]) { $0.changedIntervalMilliseconds = 5000 }
    harness.reload(slower, at: 200)
    #expect(harness.lines(until: 4999) == [])
    #expect(harness.lines(until: 5000) == ["5000 changed bulb 1 payload"])
    harness.hear(1, -60, .made(by: 0x0EEE, 2), at: 6000)
    harness.reload(bulb, at: 7000)
    // A second had passed long before: it is due at once.
    #expect(harness.lines() == ["7000 changed bulb 1 payload"])
  }
}
