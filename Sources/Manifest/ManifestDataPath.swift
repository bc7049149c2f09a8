// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
public import HCI

/// A data path for the items of one manifest, which it keeps beside it.
public struct ManifestDataPath: ~Copyable {
  /// What runs for each report and in each turn takes the pipeline from here, in place.
  public var path: DataPath
  /// The manifest's items in the order of their indices: what a match's `item` refers to.
  public private(set) var items: [ManifestItem]
  /// Items that left the manifest and that events still name, by the indices after those of `items`.
  private(set) var retired: [ManifestItem] = []
  /// A secret of the run.
  let hashKey: HashKey

  /// `epoch` names this run to readers of its events; `adapterOffset` is the board profile's, in dB; `hashKey` is a
  /// secret of the run. There is room for `identitiesMax` identity keys, and some more.
  public init(
    _ manifest: GatewayManifest, identities: [IdentityKey] = [], identitiesMax: Int = 0,
    adapterOffset: Int8 = 0, epoch: Block128 = Block128(high: 0, low: 0), hashKey: HashKey = .replay
  ) {
    self.hashKey = hashKey
    items = manifest.items
    path = DataPath(
      items.map { $0.dataPathItem(changedMilliseconds: manifest.gateway.changedIntervalMilliseconds) },
      manifest.gateway.capacities, identities: identities, identitiesMax: identitiesMax,
      adapterOffset: adapterOffset, epoch: epoch, hashKey: hashKey)
  }

  /// The pipeline for whatever runs less often: a caller that reads from it copies all of it.
  @inlinable
  public var pipeline: Pipeline {
    _read { yield path.pipeline }
    _modify { yield &path.pipeline }
  }

  /// Bytes set aside for every table of the pipeline.
  public var byteCount: Int { path.byteCount }

  /// The identity whose key would resolve an address, if its bytes stood in the reverse order; nil for an address that
  /// is resolved, or hides nothing.
  public func reversedIdentity(of address: DeviceAddress) -> DeviceAddress? {
    for index in 0..<pipeline.identityCount {
      let key = pipeline.identity(at: index)
      if key.reversed.resolves(address) { return key.identity }
    }
    return nil
  }

  /// The item of an event that is still in the ring, even if a reload has since taken it out of the manifest.
  public func item(of sighting: Sighting) -> ManifestItem {
    let index = Int(sighting.item)
    return index < items.count ? items[index] : retired[index - items.count]
  }

  /// Continues with another manifest from `time` on. Deadlines until then are handled with the old one.
  ///
  /// An unchanged item (same app and id, equal descriptors and gate) keeps its sightings; see
  /// ``DataPath/reload(to:successors:at:)``.
  @discardableResult
  public mutating func reload(
    _ manifest: GatewayManifest, identities: [IdentityKey] = [], identitiesMax: Int = 0,
    adapterOffset: Int8 = 0, at time: Instant
  ) -> ReloadSummary {
    let next = ManifestDataPath(
      manifest, identities: identities, identitiesMax: identitiesMax, adapterOffset: adapterOffset,
      epoch: pipeline.events.epoch, hashKey: hashKey)
    let newItems = next.items
    let succession = ItemSuccession(from: items, to: newItems)
    let old = items + retired
    retired = path.reload(to: next.path, successors: succession.successors, at: time).map { old[$0] }
    items = newItems
    return succession.summary
  }
}

extension GatewayManifest {
  /// All items in the manifest's order, which is the order of matches. Items that look only for networks have their
  /// index too.
  public var items: [ManifestItem] {
    apps.flatMap { app in app.items.map { ManifestItem(app: app.name, item: $0) } }
  }
}

extension ManifestItem {
  /// The parts of an item for the data path: the descriptors that are matched against advertising, and the gate.
  fileprivate func dataPathItem(changedMilliseconds: Int32) -> DataPathItem {
    let descriptors = ([item.descriptor] + (item.alternate.map { [$0] } ?? [])).filter(\.hasBluetoothClause)
    var gate = item.gate
    gate.isImmediate = item.descriptor.range == .immediate
    gate.changedMilliseconds = item.changedIntervalMilliseconds ?? changedMilliseconds
    // No app's name has a zero in it.
    return DataPathItem(
      name: "\(app)\0\(item.id)", descriptors: descriptors.map(\.dataPathDescriptor), gate: gate)
  }
}

extension DiscoveryDescriptor {
  fileprivate var dataPathDescriptor: DataPathDescriptor {
    var clauses = DataPathDescriptor()
    clauses.companyIdentifier = companyIdentifier
    clauses.manufacturerBlob = manufacturerData?.blob ?? []
    clauses.manufacturerMask = manufacturerData?.mask ?? []
    clauses.serviceUUID = serviceUUID
    clauses.serviceBlob = serviceData?.blob ?? []
    clauses.serviceMask = serviceData?.mask ?? []
    clauses.name = nameSubstring ?? []
    clauses.nameOptions = NameOptions(rawValue: UInt32(nameCompareOptions.rawValue))
    clauses.addressPrefix = addressPrefix
    return clauses
  }
}

/// How a new manifest changed the items of the old one. A changed item counts as removed and added.
public struct ReloadSummary: Equatable, Sendable {
  /// Unchanged items, which keep their sightings.
  public var itemsKept: Int
  public var itemsAdded: Int
  public var itemsRemoved: Int

  public init(itemsKept: Int, itemsAdded: Int, itemsRemoved: Int) {
    (self.itemsKept, self.itemsAdded, self.itemsRemoved) = (itemsKept, itemsAdded, itemsRemoved)
  }

  public init(from old: [ManifestItem], to new: [ManifestItem]) {
    self = ItemSuccession(from: old, to: new).summary
  }
}

/// Which items of a manifest are unchanged in the next one.
struct ItemSuccession {
  /// For each old item the index of the unchanged one, or -1.
  let successors: [Int32]
  let summary: ReloadSummary

  init(from old: [ManifestItem], to new: [ManifestItem]) {
    let places = new.places
    successors = old.map { item in
      guard let place = places[item.key], new[place].isUnchanged(from: item) else { return -1 }
      return Int32(place)
    }
    let kept = successors.count { $0 >= 0 }
    summary = ReloadSummary(itemsKept: kept, itemsAdded: new.count - kept, itemsRemoved: old.count - kept)
  }
}

extension [ManifestItem] {
  /// The index of each item.
  var places: [ManifestItem.Key: Int] {
    Dictionary(enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
