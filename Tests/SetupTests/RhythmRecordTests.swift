// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Registry
import RegistrySupport
@testable import Setup
import Testing

@Suite("Rhythms in the registry")
struct RhythmRecordTests {
  private static let day: Int64 = 24 * 3600

  /// A registry with two accessories, and the rhythms of their devices.
  private final class Gateway {
    private(set) var registry = AccessoryRegistry()
    private var record = RhythmRecord()

    init(rhythm: UInt32? = nil) throws {
      try registry.apply(Rows.addition(1))
      try registry.apply(Rows.addition(2))
      if let rhythm { try registry.apply(.setRhythms([Rows.address(1): rhythm])) }
    }

    var rhythm: UInt32? { registry.device(.bluetooth(Rows.address(1)))?.rhythmMilliseconds }

    /// Returns how many rows are written.
    func hear(_ rhythm: UInt32?, at seconds: Int64) throws -> Int {
      let due = record.note(
        [Rows.address(1): rhythm], in: registry, at: Instant(microseconds: seconds * 1_000_000))
      return due.isEmpty ? 0 : try registry.apply(.setRhythms(due), rhythms: record.heard).writes.count
    }

    func change(_ change: RegistryChange) throws {
      try registry.apply(change, rhythms: record.heard)
      registry.checkInvariants()
    }
  }

  @Test("A rhythm is written when it is first known, and not again while it differs by less than half")
  func firstKnown() throws {
    let gateway = try Gateway()
    #expect(try gateway.hear(nil, at: 0) == 0)
    #expect(try gateway.hear(60_000, at: 600) == 1)
    #expect(gateway.rhythm == 60_000)
    for (days, rhythm) in [(1, 60_000), (2, 84_000), (3, 90_000), (4, 36_000), (5, 30_000)]
      as [(Int64, UInt32)]
    {
      #expect(try gateway.hear(rhythm, at: days * Self.day + 601) == 0)
    }
    #expect(gateway.rhythm == 60_000)
  }

  @Test("One that changed by more than half is written, at most once a day")
  func changed() throws {
    let gateway = try Gateway()
    #expect(try gateway.hear(60_000, at: 0) == 1)
    #expect(try gateway.hear(96_000, at: Self.day - 1) == 0)
    #expect(try gateway.hear(96_000, at: Self.day) == 1)
    #expect(gateway.rhythm == 96_000)
    #expect(try gateway.hear(40_000, at: Self.day + 1) == 0)
    #expect(try gateway.hear(nil, at: 2 * Self.day) == 1)
    #expect(gateway.rhythm == nil)
    // A device that starts to pause again is known for the first time, but has had its write of the day.
    #expect(try gateway.hear(40_000, at: 2 * Self.day + 1) == 0)
    #expect(try gateway.hear(40_000, at: 3 * Self.day) == 1)
  }

  @Test("What an earlier run wrote counts as written at the start")
  func restart() throws {
    let gateway = try Gateway(rhythm: 60_000)
    #expect(try gateway.hear(600_000, at: 5) == 0)
    #expect(try gateway.hear(600_000, at: 4 + Self.day) == 0)
    #expect(try gateway.hear(600_000, at: 5 + Self.day) == 1)
  }

  @Test("With another change of the device or of its accessory it is written at once; others are left alone")
  func withOtherChanges() throws {
    let gateway = try Gateway()
    #expect(try gateway.hear(60_000, at: 0) == 1)
    #expect(try gateway.hear(66_000, at: 60) == 0)
    try gateway.change(.rename(Rows.identifier(4), displayName: "Other"))
    #expect(gateway.rhythm == 60_000)
    try gateway.change(.rename(Rows.identifier(2), displayName: "Lamp"))
    #expect(gateway.rhythm == 66_000)
    #expect(try gateway.hear(600_000, at: 120) == 0)
    try gateway.change(.setState(Rows.identifier(2), .unauthorized))
    #expect(gateway.rhythm == 600_000)
  }

  @Test("An accessory in the place of another does not get its rhythm")
  func anotherDevice() throws {
    let gateway = try Gateway()
    #expect(try gateway.hear(60_000, at: 0) == 1)
    try gateway.change(.remove(Rows.identifier(4), leavesTombstone: false))
    try gateway.change(.remove(Rows.identifier(2), leavesTombstone: false))
    try gateway.change(Rows.addition(3))
    #expect(gateway.registry.devices.map(\.number) == [1])
    #expect(gateway.registry.devices.map(\.rhythmMilliseconds) == [nil])
  }
}
