// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension ManifestRules {
  /// Reports items that match the same device: a picker would offer it twice, and hands-free setups would collide.
  /// Reports one overlap per item, with the first other item that shares a key.
  ///
  /// Compares every pair of items that share a key: a mebibyte of items with one company takes two seconds.
  mutating func checkOverlaps() {
    var places: [Place] = []
    var sharers: [OverlapKey: [Int]] = [:]
    for app in manifest.apps {
      for (index, item) in app.items.enumerated() where item.selection != .observe {
        let path = Self.path(ofItem: index, inApp: app.name).appending(ItemKey.descriptor)
        guard isLegible(path) else { continue }
        let place = Place(app: app.name, item: item)
        reportOverlap(of: place, with: place.keys.lazy.flatMap { sharers[$0] ?? [] }, in: places, at: path)
        for key in place.keys { sharers[key, default: []].append(places.count) }
        places.append(place)
      }
    }
  }

  private mutating func reportOverlap(
    of place: Place, with sharers: some Sequence<Int>, in places: [Place], at path: ManifestKeyPath
  ) {
    for index in sharers where place.meets(places[index]) {
      let other = places[index]
      guard let overlap = DescriptorOverlap(place.descriptor, other.descriptor) else { continue }
      report(.warning(.overlap(overlap, app: other.app, id: other.id)), at: path)
      return
    }
  }
}

/// The properties of an item that decide about overlaps.
private final class Place {
  let app: String
  let id: String
  let isHandsFree: Bool
  let descriptor: DiscoveryDescriptor

  init(app: String, item: DisplayItem) {
    self.app = app
    self.id = item.id
    self.isHandsFree = item.selection.isHandsFree
    self.descriptor = item.descriptor
  }

  /// Whether both items could be offered for one device: items of different apps only if both are hands-free.
  func meets(_ other: Place) -> Bool { app == other.app || (isHandsFree && other.isHandsFree) }

  var keys: [OverlapKey] {
    [descriptor.companyIdentifier.map { .company($0) }, descriptor.serviceUUID.map { .service($0) }]
      .compactMap { $0 }
  }
}

/// A key that two items must share to match the same device.
private enum OverlapKey: Hashable {
  case company(UInt16)
  case service(BluetoothUUID)
}
