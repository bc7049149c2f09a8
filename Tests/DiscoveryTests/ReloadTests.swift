// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Reload: items")
struct ReloadTests {
  private let bulb = DisplayItem.company(0x0EEE)

  @Test("An unchanged item lives on: nothing is told, whatever else of it changed")
  func unchanged() {
    let listener = Listener(bulb)
    listener.hear(1, -60, .made(by: 0x0EEE), at: 0)
    #expect(listener.lines() == ["0 found bulb 1 matched"])
    var renamed = bulb
    renamed.name = "Another name"
    renamed.selection = .touch
    renamed.maxAccessories = 3
    let summary = listener.reload(renamed, at: 5000)
    #expect(summary == ReloadSummary(itemsKept: 1, itemsAdded: 0, itemsRemoved: 0))
    #expect(listener.lines() == [])
    #expect(listener.found(1) == ["bulb"])
    #expect(listener.device(1)?.reportCount == 1)
    listener.wait(until: 20_000)
    #expect(listener.lines() == ["10000 lost bulb 1 silence"])
  }

  @Test("A removed item that was found is lost once, with its payload")
  func removed() {
    let listener = Listener(bulb, .company(0x0EEE, "lamp"))
    listener.hear(1, -60, .made(by: 0x0EEE, 7), at: 0)
    _ = listener.lines()
    let summary = listener.reload(bulb, at: 100)
    #expect(summary == ReloadSummary(itemsKept: 1, itemsAdded: 0, itemsRemoved: 1))
    let heard = listener.sightings()
    #expect(heard.map(\.line) == ["100 lost lamp 1 reload"])
    #expect(heard.first?.payload == AdvertisingPayload.made(by: 0x0EEE, 7).bytes)
    #expect(listener.found(1) == ["bulb"])
    listener.hear(1, -60, .made(by: 0x0EEE, 7), at: 200)
    #expect(listener.lines() == [])
  }

  @Test("A new item finds the devices that are there at once, by the payload that is known")
  func added() {
    let listener = Listener(bulb)
    listener.hear(1, -60, .made(by: 2, 9), at: 0)
    listener.hear(2, -60, .made(by: 3), at: 0)
    let summary = listener.reload(bulb, .company(2, "lamp"), at: 100)
    #expect(summary == ReloadSummary(itemsKept: 1, itemsAdded: 1, itemsRemoved: 0))
    let heard = listener.sightings()
    #expect(heard.map(\.line) == ["100 found lamp 1 matched"])
    #expect(heard.first?.payload == AdvertisingPayload.made(by: 2, 9).bytes)
    listener.wait(until: 20_000)
    #expect(listener.lines() == ["10000 lost lamp 1 silence"])
  }

  @Test(
    "An item whose gate, descriptor or second identity changed is lost, then found anew",
    arguments: [
      DisplayItem.company(0x0EEE) { $0.gate.lostMilliseconds = 20_000 },
      DisplayItem.company(0x0EEE) { $0.descriptor.manufacturerData = MaskedBytes(blob: [0]) },
      DisplayItem.company(0x0EEE) {
        $0.alternate = DiscoveryDescriptor()
        $0.alternate?.companyIdentifier = 9
      },
    ])
  func changed(item: DisplayItem) {
    let listener = Listener(bulb)
    listener.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = listener.lines()
    let summary = listener.reload(item, at: 100)
    #expect(summary == ReloadSummary(itemsKept: 0, itemsAdded: 1, itemsRemoved: 1))
    #expect(listener.lines() == ["100 lost bulb 1 reload", "100 found bulb 1 matched"])
  }

  @Test("All that the reload ends is told before anything that it begins")
  func order() {
    let listener = Listener(.company(1, "one"), .company(2, "two"))
    listener.hear(1, -60, .made(by: 1), at: 0)
    listener.hear(2, -60, .made(by: 2), at: 0)
    _ = listener.lines()
    listener.reload(.company(2, "deux"), .company(1, "un"), at: 10)
    #expect(
      listener.lines() == [
        "10 lost one 1 reload", "10 lost two 2 reload", "10 found un 1 matched", "10 found deux 2 matched",
      ])
  }

  @Test("What was not found is not lost")
  func outside() {
    let listener = Listener(.immediate(0x0EEE))
    listener.hear(1, -70, .made(by: 0x0EEE), at: 0)
    listener.reload(at: 10)
    #expect(listener.lines() == [])
    #expect(listener.device(1)?.matchCount == 0)
  }

  @Test("What was due before the reload happens by the old manifest, at its own time")
  func dueBefore() {
    let listener = Listener(bulb)
    listener.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = listener.lines()
    listener.reload(.company(0x0EEE) { $0.gate.lostMilliseconds = 20_000 }, at: 15_000)
    #expect(listener.lines() == ["10000 lost bulb 1 silence"])
    // Heard too long ago for the old patience, and lost: only a report finds it.
    listener.wait(until: 60_000)
    #expect(listener.lines() == [])
    listener.hear(1, -60, .made(by: 0x0EEE), at: 60_001)
    #expect(listener.lines() == ["60001 found bulb 1 matched"])
  }

  @Test("A device that has been silent for longer than the new item bears is found by its next report")
  func silentDevice() {
    let listener = Listener(bulb)
    listener.hear(1, -60, .made(by: 2), at: 0)
    listener.reload(bulb, .company(2, "lamp"), at: 15_000)
    #expect(listener.lines() == [])
    listener.hear(1, -60, .made(by: 2), at: 15_500)
    #expect(listener.lines() == ["15500 found lamp 1 matched"])
  }

  @Test("After the radio was lost a new item waits until devices are heard again")
  func radioDown() {
    let listener = Listener(bulb)
    listener.hear(1, -60, .made(by: 2), at: 0)
    listener.loseRadio(at: 100)
    listener.reload(bulb, .company(2, "lamp"), at: 200)
    #expect(listener.lines() == [])
    listener.hear(1, -60, .made(by: 2), at: 300)
    #expect(listener.lines() == ["300 found lamp 1 matched"])
  }

  @Test("Another order of items is no change")
  func reordered() {
    let lamp = DisplayItem.company(0x0EEE, "lamp")
    let listener = Listener(bulb, lamp)
    listener.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = listener.lines()
    let summary = listener.reload(lamp, bulb, at: 100)
    #expect(summary.itemsKept == 2)
    #expect(listener.lines() == [])
    #expect(listener.found(1) == ["lamp", "bulb"])
  }

  @Test("A change that waits for its second is told, with the interval that holds now")
  func pendingChange() {
    let listener = Listener(bulb)
    listener.hear(1, -60, .made(by: 0x0EEE, 0), at: 0)
    listener.hear(1, -60, .made(by: 0x0EEE, 1), at: 100)
    _ = listener.lines()
    let slower = GatewayManifest([bulb]) { $0.changedIntervalMilliseconds = 5000 }
    listener.reload(slower, at: 200)
    listener.wait(until: 4999)
    #expect(listener.lines() == [])
    listener.wait(until: 5000)
    #expect(listener.lines() == ["5000 changed bulb 1 payload"])
    listener.hear(1, -60, .made(by: 0x0EEE, 2), at: 6000)
    listener.reload(bulb, at: 7000)
    // A second had passed long before: it is due at once.
    #expect(listener.lines() == ["7000 changed bulb 1 payload"])
  }
}
