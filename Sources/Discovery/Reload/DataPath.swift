// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What devices are matched against: descriptors, any of which is enough, and the gate.
public struct DataPathItem: Sendable {
  /// The name of the item, unique in a data path; after a reload it says which item an event is about.
  public var name: String
  public var descriptors: [DataPathDescriptor]
  public var gate: GateSettings

  public init(name: String, descriptors: [DataPathDescriptor], gate: GateSettings) {
    self.name = name
    self.descriptors = descriptors
    self.gate = gate
  }
}

/// The clauses of one descriptor, all of which must hold; see ``DescriptorClauses``. An empty clause compares nothing.
public struct DataPathDescriptor: Sendable {
  public var companyIdentifier: UInt16?
  public var manufacturerBlob: [UInt8] = []
  public var manufacturerMask: [UInt8] = []
  public var serviceUUID: BluetoothUUID?
  public var serviceBlob: [UInt8] = []
  public var serviceMask: [UInt8] = []
  public var name: [UInt8] = []
  public var nameOptions = NameOptions.none
  public var addressPrefix: AddressPrefix?

  public init() {}

  /// Every bit of the name if the matcher can look it up as the beginning of a device's name; otherwise empty.
  fileprivate var nameMask: [UInt8] {
    let isKey = companyIdentifier == nil && serviceUUID == nil && addressPrefix == nil
    let isPrefix = nameOptions.contains(.anchored) && !nameOptions.contains(.backwards)
    guard isKey, isPrefix, !nameOptions.contains(.caseInsensitive) else { return [] }
    return [UInt8](repeating: 0xFF, count: name.count)
  }
}

/// A pipeline for some items, with the memory it lives in.
public struct DataPath: ~Copyable {
  public var pipeline: Pipeline
  /// The names of the items in the order of their indices: what a match's `item` refers to.
  public private(set) var itemNames: [String]
  /// Names of items that are gone and that events still name, by the indices after those of `itemNames`. At most as
  /// many as the ring held events at the last reload, which forgot those that no event named any more.
  private var retiredNames: [String] = []
  /// Bytes set aside for every table of the pipeline.
  public let byteCount: Int
  private let block: MemoryBlock
  /// Identity keys that can be added while the pipeline runs; with more the data path has to be reloaded.
  static let spareIdentities = 32

  /// Measures the tables, sets their memory aside, and compiles the descriptors.
  ///
  /// `epoch` names this run to readers of its events; `adapterOffset` is the board profile's, in dB; `hashKey` is a
  /// secret of the run. There is room for `identitiesMax` identity keys, and some more.
  public init(
    _ items: [DataPathItem], _ capacities: Capacities, identities: [IdentityKey] = [], identitiesMax: Int = 0,
    adapterOffset: Int8 = 0, epoch: Block128,
    hashKey: HashKey = .replay
  ) {
    let size = Pipeline.Size(
      matcher: Matcher.Size(items),
      identities: max(identities.count, identitiesMax) + Self.spareIdentities)
    var measure = Arena()
    _ = Pipeline(size, capacities, epoch: epoch, hashKey: hashKey, in: &measure)
    let block = MemoryBlock(byteCount: measure.byteCount)
    // Holds: the block lives in this value beside the pipeline, which is its only user.
    var arena = unsafe block.arena()
    var pipeline = Pipeline(size, capacities, epoch: epoch, hashKey: hashKey, in: &arena)
    pipeline.adapterOffset = adapterOffset
    for identity in identities { pipeline.add(identity) }
    for (index, item) in items.enumerated() {
      pipeline.setGate(item.gate, item: index)
      for descriptor in item.descriptors { pipeline.matcher.add(descriptor, item: Int32(index)) }
    }
    pipeline.matcher.compile()
    self.pipeline = pipeline
    self.itemNames = items.map(\.name)
    self.byteCount = measure.byteCount
    self.block = block
  }

  /// Continues with another data path's items from `time` on. Deadlines until then are handled with the old ones.
  ///
  /// `successors` gives each old item the index of the new item that keeps its sightings, or -1. The sightings of
  /// any other are lost; then devices are matched against the new items by their stored payloads. Events keep their
  /// numbers, so readers continue. The new tables are allocated before the old ones are freed.
  ///
  /// Returns the items that are gone and that events still name, by the indices they had before the reload; from now on
  /// they follow those of the new items.
  public mutating func reload(to successor: consuming DataPath, successors: [Int32], at time: Instant)
    -> [Int]
  {
    var next = successor
    let reload = Reload(successors: successors.span)
    reload.endMatches(of: &pipeline, before: &next.pipeline, at: time)
    let naming = ItemNaming(
      old: itemNames + retiredNames, new: next.itemNames, isUsed: indicesInEvents)
    reload.transfer(from: pipeline, to: &next.pipeline, names: naming.names.span)
    next.retiredNames = naming.retired.map { (itemNames + retiredNames)[$0] }
    self = next
    return naming.retired
  }

  /// For each item and each retired one, whether an event that is still in the ring names it.
  private var indicesInEvents: [Bool] {
    var isUsed = [Bool](repeating: false, count: itemNames.count + retiredNames.count)
    var cursor = EventCursor(epoch: pipeline.events.epoch, sequence: pipeline.events.oldest)
    while case .event(_, let sighting, _) = pipeline.events.read(&cursor) {
      isUsed[Int(sighting.item)] = true
    }
    return isUsed
  }
}

extension Pipeline {
  /// How many devices in sight each item has turned away because it was full.
  public func turnedAwayCounts(items count: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: count)
    for row in 0..<rowCount {
      let items = itemsThatTurnedAway(row: row)
      for position in 0..<items.count { counts[Int(items[position])] += 1 }
    }
    return counts
  }
}

/// The indices by which events that are still in the ring name their items after a reload.
struct ItemNaming {
  /// For each old index, retired ones included, the new one; -1 for what no event names.
  let names: [Int32]
  /// The old indices of the items that follow the new ones.
  let retired: [Int]

  /// `isUsed` says of each old index whether an event names it. An item that changed keeps its name, and one that comes
  /// back gets it again.
  init(old: [String], new: [String], isUsed: [Bool]) {
    let positions = Dictionary(new.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var names: [Int32] = []
    var retired: [Int] = []
    for (index, name) in old.enumerated() {
      if let position = positions[name] {
        names.append(Int32(position))
      } else if isUsed[index] {
        names.append(Int32(new.count + retired.count))
        retired.append(index)
      } else {
        names.append(-1)
      }
    }
    self.names = names
    self.retired = retired
  }
}

extension Matcher.Size {
  fileprivate init(_ items: [DataPathItem]) {
    let descriptors = items.flatMap(\.descriptors)
    let bytes = descriptors.reduce(0) { sum, descriptor in
      sum + 2 * descriptor.manufacturerBlob.count + 2 * descriptor.serviceBlob.count + descriptor.name.count
        + descriptor.nameMask.count
    }
    self.init(descriptors: descriptors.count, items: items.count, bytes: bytes)
  }
}

extension Matcher {
  fileprivate mutating func add(_ descriptor: DataPathDescriptor, item: Int32) {
    var clauses = DescriptorClauses()
    clauses.companyIdentifier = descriptor.companyIdentifier
    clauses.manufacturerBlob = store(descriptor.manufacturerBlob.span.rawBytes)
    clauses.manufacturerMask = store(descriptor.manufacturerMask.span.rawBytes)
    clauses.serviceUUID = descriptor.serviceUUID
    clauses.serviceBlob = store(descriptor.serviceBlob.span.rawBytes)
    clauses.serviceMask = store(descriptor.serviceMask.span.rawBytes)
    clauses.name = store(descriptor.name.span.rawBytes)
    clauses.nameOptions = descriptor.nameOptions
    clauses.nameMask = store(descriptor.nameMask.span.rawBytes)
    clauses.addressPrefix = descriptor.addressPrefix
    add(clauses, item: item)
  }
}

/// A value and the memory block that its tables were taken from, freed with it.
public struct ArenaOwner<Value: ~Copyable>: ~Copyable {
  public var value: Value
  private let block: MemoryBlock

  /// Calls `make` twice: with an arena that only measures, then with one over a block of the measured size.
  public init(_ make: (inout Arena) -> Value) {
    var measure = Arena()
    _ = make(&measure)
    block = MemoryBlock(byteCount: measure.byteCount)
    // Holds: the block lives in this value beside `value`, which is its only user.
    var arena = unsafe block.arena()
    value = make(&arena)
  }
}

/// The memory of the data path's tables, allocated once and zeroed; freed with its owner.
@safe
public struct MemoryBlock: ~Copyable {
  private let bytes: UnsafeMutableRawBufferPointer

  public init(byteCount: Int) {
    // In pieces of 64 bytes: without optimisation each piece is a call.
    unsafe bytes = .allocate(byteCount: (byteCount + 63) & ~63, alignment: 64)
    unsafe bytes.initializeMemory(as: SIMD64<UInt8>.self, repeating: SIMD64())
  }

  deinit { unsafe bytes.deallocate() }

  /// An arena over the whole block. The tables taken from it must not be used after the block is gone, and only one
  /// arena may be made.
  @unsafe
  public func arena() -> Arena {
    // Holds: the block is aligned to 16 bytes; its lifetime is the caller's promise.
    unsafe Arena(block: bytes)
  }
}
