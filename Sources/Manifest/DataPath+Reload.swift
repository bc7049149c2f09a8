// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI

extension DataPath {
  /// Goes on with another manifest from `time` on; what is due until then happens by the old one.
  ///
  /// An unchanged item (same app and id, equal descriptors and gate) lives on with its sightings. What was found of any
  /// other is lost; then devices are matched against the new items by what is known of them. Events keep their numbers,
  /// so readers go on. The new tables are set aside before the old ones are given back.
  @discardableResult
  public mutating func reload(
    _ manifest: GatewayManifest, identities: [IdentityKey] = [], adapterOffset: Int8 = 0, at time: Instant
  ) -> ReloadSummary {
    var next = DataPath(
      manifest, identities: identities, adapterOffset: adapterOffset, epoch: pipeline.events.epoch)
    let succession = ItemSuccession(from: items, to: next.items)
    let reload = Reload(successors: succession.successors.span)
    reload.endMatches(of: &pipeline, before: &next.pipeline, at: time)
    let naming = ItemNaming(old: items + retired, new: next.items, isUsed: indicesInEvents)
    reload.transfer(from: pipeline, to: &next.pipeline, names: naming.names.span)
    next.retired = naming.retired
    self = next
    return succession.summary
  }

  /// For each item and each retired one, whether an event that is still in the ring names it.
  private var indicesInEvents: [Bool] {
    var isUsed = [Bool](repeating: false, count: items.count + retired.count)
    var cursor = EventCursor(epoch: pipeline.events.epoch, sequence: pipeline.events.oldest)
    while case .event(_, let sighting, _) = pipeline.events.read(&cursor) {
      isUsed[Int(sighting.item)] = true
    }
    return isUsed
  }
}
