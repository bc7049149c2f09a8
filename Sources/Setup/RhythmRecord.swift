// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// The rhythms of accessories' devices as they are heard, and which of them are worth a write of their own.
///
/// Pure: time is an input. Capacity: the devices of the registry.
struct RhythmRecord: Sendable {
  /// At most one write of its own for each device in a day, so that a device which changes its mind does not wear out the
  /// disk. What an earlier run wrote counts as written when this one began.
  static let writeMilliseconds: Int64 = 24 * 3_600_000

  /// By settled address; nil for a device that sends all the time. Devices that were not heard long enough are missing.
  private(set) var heard: [DeviceAddress: UInt32?] = [:]
  /// When a device may have a write of its own again.
  private var nextWrites: [DeviceAddress: Instant] = [:]

  /// Takes what is heard. Returns what is to be written now: what is known for the first time, or differs by more than
  /// half from what the registry has.
  mutating func note(
    _ rhythms: [DeviceAddress: UInt32?], in registry: AccessoryRegistry, at now: Instant
  ) -> [DeviceAddress: UInt32?] {
    heard = rhythms
    var due: [DeviceAddress: UInt32?] = [:]
    var waiting: [DeviceAddress: Instant] = [:]
    let nextDay = now.advanced(milliseconds: Self.writeMilliseconds)
    for device in registry.devices {
      guard let address = device.identity.address?.settled else { continue }
      let known = device.rhythmMilliseconds
      waiting[address] = nextWrites[address] ?? (known == nil ? nil : nextDay)
      guard let rhythm = device.rhythm(in: rhythms), Self.differ(rhythm, known),
        waiting[address].map({ $0 <= now }) ?? true
      else { continue }
      due[address] = .some(rhythm)
      waiting[address] = nextDay
    }
    nextWrites = waiting
    return due
  }

  private static func differ(_ heard: UInt32?, _ known: UInt32?) -> Bool {
    guard let heard, let known else { return heard != known }
    return 2 * abs(Int64(heard) - Int64(known)) > Int64(known)
  }
}
