// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
@testable import Registry
@testable import Setup
import Testing

@Suite("The events of an app")
struct AppFeedTests {
  private let mine = RandomIdentifier(high: 1, low: 1)
  private let other = RandomIdentifier(high: 2, low: 2)

  private func event() -> AppEvent { AppEvent(.pickerDidPresent, picker: nil, at: Instant(microseconds: 0)) }

  @Test(
    "Delivered, missed and passed events add up to all events, even if passed ones were overwritten")
  func count() {
    var feed = AppFeed()
    var position = SessionPosition(session: mine, app: "lights", sequence: 0, activatedAt: 0)
    for _ in 0..<3 { feed.append(event(), to: other) }
    #expect(feed.read(&position) == .end)
    for _ in 0..<300 { feed.append(event(), to: mine) }
    feed.append(event(), to: other)
    feed.append(event(), to: mine)
    var total: UInt64 = 0
    reading: while true {
      switch feed.read(&position) {
      case .event(_, let passed, _): total += 1 + passed
      case .missed(let count): total += count
      case .end: break reading
      }
    }
    #expect(total == feed.produced)
  }

  @Test("After `invalidated` a session receives no more events")
  func end() {
    var feed = AppFeed()
    var position = SessionPosition(session: mine, app: "lights", sequence: 0, activatedAt: 0)
    let end = AppEvent(.invalidated(.noSession), picker: nil, at: Instant(microseconds: 0))
    feed.append(end, to: mine)
    feed.append(event(), to: nil)
    #expect(feed.read(&position) == .event(sequence: 0, passed: 0, end))
    #expect(feed.read(&position) == .end)
  }

  @Test("The opening events of a run come first, then those that `activated` does not cover")
  func opening() {
    var feed = AppFeed()
    let removed = AppEvent(.pickerDidDismiss, picker: nil, at: Instant(microseconds: 0))
    feed.open(with: removed)
    feed.open(with: removed)
    for _ in 0..<300 { feed.append(event(), to: nil) }
    var position = SessionPosition(session: mine, app: "lights", sequence: 0, activatedAt: 302)
    var late = SessionPosition(session: other, app: "lights", sequence: 302, activatedAt: 302)
    feed.append(event(), to: nil)
    #expect(feed.read(&position) == .event(sequence: 0, passed: 0, removed))
    #expect(feed.read(&position) == .event(sequence: 1, passed: 0, removed))
    #expect(feed.read(&position) == .event(sequence: 302, passed: 300, event()))
    #expect(feed.read(&position) == .end)
    #expect(feed.read(&late) == .event(sequence: 302, passed: 0, event()))
    #expect(feed.produced == 303)
  }

  @Test("A run has a limited number of opening events; `activated` covers the others")
  func openingCapacity() {
    var feed = AppFeed()
    for _ in 0..<AppFeed.capacity + 5 { feed.open(with: event()) }
    #expect(feed.openingCount == UInt64(AppFeed.capacity))
    #expect(feed.produced == UInt64(AppFeed.capacity) + 5)
  }

  @Test("Removals of an accessory that an import added again are passed over, those of others are not")
  func imported() {
    var feed = AppFeed()
    let (returned, gone) = (accessory(1), accessory(2))
    func at(_ kind: AppEvent.Kind) -> AppEvent { AppEvent(kind, at: Instant(microseconds: 0)) }
    feed.open(with: at(.accessoryRemoved(returned)))
    feed.open(with: at(.pickerDidDismiss))
    feed.open(with: at(.accessoryRemoved(gone)))
    feed.open(with: at(.pickerDidDismiss))
    feed.append(at(.accessoryAdded(returned)), to: nil)
    var position = SessionPosition(session: mine, app: "lights", sequence: 0, activatedAt: 5)
    #expect(feed.read(&position) == .event(sequence: 2, passed: 2, at(.accessoryRemoved(gone))))
    #expect(feed.read(&position) == .event(sequence: 3, passed: 0, at(.pickerDidDismiss)))
    #expect(feed.read(&position) == .end)
  }

  private func accessory(_ number: UInt64) -> AppAccessory {
    let device = RegistryDevice(
      number: 1, identity: .bluetooth(DeviceAddress(bits: number, type: .random)), displayName: "Kitchen",
      isIdentityDurable: true)
    let row = RegistryAccessory(
      number: 1, identifier: RandomIdentifier(high: number, low: number), app: "lights",
      descriptor: DiscoveryDescriptor(), device: 1, state: .authorized)
    return AppAccessory(row, device, isInert: false)
  }
}
