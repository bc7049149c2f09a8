// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI

// Devices that send only on an event, such as buttons: a board that listens part of the time misses them.

extension DisplayItem {
  /// The silence from which on a device can only be one that waits for an event.
  private static let silenceOfEventsMilliseconds: Int32 = 3_600_000

  /// Whether the item's devices send only on an event: it asks for BTHome data of such devices, or its `gate.lost-ms` is
  /// an hour or more.
  public var sendsOnlyOnEvents: Bool {
    !descriptor.isFoundByNetwork
      && (gate.lostMilliseconds >= Self.silenceOfEventsMilliseconds || descriptor.asksForEventsOfBTHome)
  }

  /// The key that certainly makes the item lose such devices between two events, whatever their rhythm; nil for an item
  /// that waits for them, or whose devices send otherwise.
  var keyThatLosesBetweenEvents: GateKey? {
    guard sendsOnlyOnEvents else { return nil }
    guard gate.isImmediate else {
      return gate.lostMillisecondsMax < Self.silenceOfEventsMilliseconds ? .lostMax : nil
    }
    return gate.silenceMilliseconds < Self.silenceOfEventsMilliseconds ? .silence : nil
  }
}

extension DiscoveryDescriptor {
  /// Whether the device information of BTHome is asked for with "trigger based device" (bthome.io, "Format").
  fileprivate var asksForEventsOfBTHome: Bool {
    guard serviceUUID == BluetoothUUID(short: 0xFCD2), let data = serviceData,
      let information = data.blob.first,
      let mask = data.mask.first
    else { return false }
    return information & mask & 0x04 != 0
  }
}

extension BoardProfile {
  /// How much of the time the board listens while no request is open, in per cent; nil when it is all of it.
  public var listeningPercent: Int? { low.isFull ? nil : low.percent }

  /// What an item whose devices send only on an event loses on a board that listens so much: a sentence without its
  /// subject.
  public static func costOfEvents(listeningPercent percent: Int) -> String {
    "sends only when pressed; this board listens \(percent) % of the time while no request is open, and misses the "
      + "presses in between; low = { window-ms = 60, interval-ms = 60 } in [scan] of its profile makes it listen all "
      + "the time"
  }

  /// The same for this board and an item; nil for one that loses nothing.
  public func costOfEvents(of item: DisplayItem) -> String? {
    item.sendsOnlyOnEvents ? listeningPercent.map(Self.costOfEvents) : nil
  }
}
