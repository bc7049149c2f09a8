// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
public import HCI

/// A pipeline for one manifest, with the memory it lives in.
public struct DataPath: ~Copyable {
  public var pipeline: Pipeline
  /// The manifest's items in the order of their indices: what a match's `item` refers to.
  public let items: [ManifestItem]
  /// Items that left the manifest and that events still name, by the indices behind those of `items`. At most as many
  /// as the ring held events at the last reload, which forgot those that no event named any more.
  var retired: [ManifestItem] = []
  /// Bytes set aside for every table of the pipeline.
  public let byteCount: Int
  private let block: MemoryBlock

  /// Measures the tables, sets their memory aside, and compiles the descriptors.
  ///
  /// `epoch` names this run to readers of its events; `adapterOffset` is the board profile's, in dB.
  public init(
    _ manifest: GatewayManifest, identities: [IdentityKey] = [], adapterOffset: Int8 = 0,
    epoch: Block128 = Block128(high: 0, low: 0)
  ) {
    let items = manifest.items
    let size = Pipeline.Size(matcher: Matcher.Size(items), identities: identities.count)
    let capacities = manifest.gateway.capacities
    var measure = Arena()
    _ = Pipeline(size, capacities, epoch: epoch, in: &measure)
    let block = MemoryBlock(byteCount: measure.byteCount)
    // Holds: the block lives in this value beside the pipeline, which is its only user.
    var arena = unsafe block.arena()
    var pipeline = Pipeline(size, capacities, epoch: epoch, in: &arena)
    pipeline.adapterOffset = adapterOffset
    pipeline.changeMilliseconds = Int64(manifest.gateway.changedIntervalMilliseconds)
    for identity in identities { pipeline.add(identity) }
    for (index, item) in items.enumerated() { pipeline.add(item.item, index: index) }
    pipeline.matcher.compile()
    self.pipeline = pipeline
    self.items = items
    self.byteCount = measure.byteCount
    self.block = block
  }

  /// The item of an event that is still in the ring, be it that a reload has since taken it out of the manifest.
  public func item(of sighting: Sighting) -> ManifestItem {
    let index = Int(sighting.item)
    return index < items.count ? items[index] : retired[index - items.count]
  }
}

extension GatewayManifest {
  /// All items in the manifest's order, which is the order of matches. Items that look only for networks have their
  /// place too.
  public var items: [ManifestItem] {
    apps.flatMap { app in app.items.map { ManifestItem(app: app.name, item: $0) } }
  }
}

extension DisplayItem {
  /// The descriptors that are matched against advertising.
  fileprivate var bluetoothDescriptors: [DiscoveryDescriptor] {
    ([descriptor] + (alternate.map { [$0] } ?? [])).filter(\.hasBluetoothClause)
  }
}

extension Matcher.Size {
  fileprivate init(_ items: [ManifestItem]) {
    let descriptors = items.flatMap(\.item.bluetoothDescriptors)
    let bytes = descriptors.reduce(0) { sum, descriptor in
      sum + 2 * (descriptor.manufacturerData?.blob.count ?? 0) + 2 * (descriptor.serviceData?.blob.count ?? 0)
        + (descriptor.nameSubstring?.count ?? 0)
    }
    self.init(descriptors: descriptors.count, items: items.count, bytes: bytes)
  }
}

extension Pipeline {
  fileprivate mutating func add(_ item: DisplayItem, index: Int) {
    var gate = item.gate
    gate.isImmediate = item.descriptor.range == .immediate
    setGate(gate, item: index)
    for descriptor in item.bluetoothDescriptors { matcher.add(descriptor, item: Int32(index)) }
  }
}

extension Matcher {
  fileprivate mutating func add(_ descriptor: DiscoveryDescriptor, item: Int32) {
    var clauses = DescriptorClauses()
    clauses.companyIdentifier = descriptor.companyIdentifier
    clauses.serviceUUID = descriptor.serviceUUID
    if let data = descriptor.manufacturerData {
      clauses.manufacturerBlob = store(data.blob.span.rawBytes)
      clauses.manufacturerMask = store(data.mask.span.rawBytes)
    }
    if let data = descriptor.serviceData {
      clauses.serviceBlob = store(data.blob.span.rawBytes)
      clauses.serviceMask = store(data.mask.span.rawBytes)
    }
    if let name = descriptor.nameSubstring {
      clauses.name = store(name.span.rawBytes)
      clauses.nameOptions = NameOptions(rawValue: UInt32(descriptor.nameCompareOptions.rawValue))
    }
    add(clauses, item: item)
  }
}
