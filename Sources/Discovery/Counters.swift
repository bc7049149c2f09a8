// SPDX-License-Identifier: GPL-3.0-or-later

import Values

/// Counters of what the data path received, lost and refused, one for each kind. Counters only grow.
public struct Counters: Equatable, Sendable, BitwiseCopyable {
  /// Packets of any kind that came in.
  public var packets: UInt64 = 0
  /// Packets that are no advertising reports and went to the tap.
  public var packetsTapped: UInt64 = 0
  /// Packets that are empty, of an unknown kind, or too short for a header.
  public var packetsMalformed: UInt64 = 0
  /// Events with fewer bytes than their header promises.
  public var eventsTruncated: UInt64 = 0
  /// Events with bytes after their last report.
  public var eventsWithTrailingBytes: UInt64 = 0
  /// Inputs whose time lay before the one before, and which were taken at that time instead.
  public var timesClamped: UInt64 = 0

  /// Advertising reports read, fragments counted one by one.
  public var reports: UInt64 = 0
  /// Reports that a truncated event announced and did not hold, or held in part.
  public var reportsLostToTruncation: UInt64 = 0
  /// Reports with a value that the specification reserves.
  public var reportsReserved: UInt64 = 0
  /// Reports whose AD structures lost something, by kind; one report may count under several.
  public var reportsLengthPastEnd: UInt64 = 0
  public var reportsDataAfterEnd: UInt64 = 0
  public var reportsWrongSize: UInt64 = 0
  /// Reports that lost anything at all of their AD structures.
  public var reportsMalformed: UInt64 = 0
  /// Reports without an address, which can have no row.
  public var reportsAnonymous: UInt64 = 0
  /// Reports of which the kernel's filter passed the first bytes by chance.
  public var reportsByChance: UInt64 = 0
  /// Reports whose RSSI is no reading.
  public var reportsWithoutReading: UInt64 = 0
  /// Reports whose data the controller gave up on.
  public var reportsTruncated: UInt64 = 0
  /// Reports that repeated a known payload and were not parsed.
  public var reportsUnchanged: UInt64 = 0

  /// Rows made for new addresses.
  public var devicesAdded: UInt64 = 0
  /// Rows taken from unknown devices: those that match no item and belong to no accessory.
  public var unknownDevicesEvicted: UInt64 = 0
  /// Rows taken from devices that match something, when there was no unknown device.
  public var matchingDevicesEvicted: UInt64 = 0
  /// Reports of new devices that found only accessories in the table.
  public var devicesTurnedAway: UInt64 = 0
  /// Rows that got a new private address by their identity key.
  public var addressesFollowed: UInt64 = 0
  /// Advertising sets replaced because the pool of sets was empty.
  public var setsReplaced: UInt64 = 0
  /// Advertising sets without any free slot.
  public var setsTurnedAway: UInt64 = 0
  /// Long payloads taken from unknown devices.
  public var longPayloadsEvicted: UInt64 = 0
  /// Long payloads without a free slot, or longer than advertising data can be.
  public var longPayloadsTurnedAway: UInt64 = 0

  /// Matches beyond the eighth of a device.
  public var matchesBeyondCapacity: UInt64 = 0
  /// Matches taken from devices because their item's quota was full.
  public var matchesEvicted: UInt64 = 0
  /// Matches that found their item's quota full of devices that are being heard.
  public var matchesTurnedAway: UInt64 = 0
  /// New frames that no `changed` event carried, because others came too soon after the last event or the device was lost.
  public var changesSkipped: UInt64 = 0
  /// Frames that came back and were not sent then, because frames of their kind alternated.
  public var changesHeldBack: UInt64 = 0
  public var found: UInt64 = 0
  public var changed: UInt64 = 0
  public var lost: UInt64 = 0

  public init() {}

  mutating func count(_ event: SightingEvent) {
    switch event {
    case .found: found &+= 1
    case .changed: changed &+= 1
    case .lost: lost &+= 1
    }
  }
}
