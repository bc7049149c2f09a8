// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension ManifestRules {
  /// Reports items that match the same device or network: a picker would offer it twice, and hands-free setups would collide.
  /// Reports one overlap per item, with the first other item that shares a key.
  mutating func checkOverlaps() {
    var descriptors: [DiscoveryDescriptor] = []
    var names: [(app: String, id: String)] = []
    var indices: [OverlapKey: OverlapIndex] = [:]
    for app in manifest.apps {
      for (index, item) in app.items.enumerated() where item.selection != .observe {
        let path = Self.path(ofItem: index, inApp: app.name).appending(ItemKey.descriptor)
        guard isLegible(path) else { continue }
        let descriptor = item.descriptor
        let scopes = OverlapKey.Scope.all(of: item, in: app)
        for value in OverlapKey.Value.all(of: descriptor) {
          let keys = scopes.map { OverlapKey(value: value, scope: $0) }
          let found = keys.compactMap { indices[$0]?.firstOverlap(with: descriptor, in: descriptors) }.min()
          guard let found, let overlap = DescriptorOverlap(descriptor, descriptors[found]) else { continue }
          report(.overlap(overlap, app: names[found].app, id: names[found].id), at: path)
          break
        }
        for value in OverlapKey.Value.all(of: descriptor) {
          for scope in scopes {
            let key = OverlapKey(value: value, scope: scope)
            indices[key, default: OverlapIndex(value)].add(descriptor, at: descriptors.count)
          }
        }
        descriptors.append(descriptor)
        names.append((app.name, item.id))
      }
    }
  }
}

/// What two items must share to match the same device, and to be offered for it.
private struct OverlapKey: Hashable {
  enum Value: Hashable {
    case company(UInt16)
    case service(BluetoothUUID)
    /// A name or the prefix of an address alone.
    case none
    /// The name of a network.
    case network

    static func all(of descriptor: DiscoveryDescriptor) -> [Value] {
      if descriptor.isFoundByNetwork { return [.network] }
      if !descriptor.hasKey { return descriptor.hasBluetoothClause ? [.none] : [] }
      return [descriptor.companyIdentifier.map { .company($0) }, descriptor.serviceUUID.map { .service($0) }]
        .compactMap { $0 }
    }
  }

  /// Items of different apps are offered for one device only if both are hands-free.
  enum Scope: Hashable {
    case app(String)
    case handsFree

    static func all(of item: DisplayItem, in app: App) -> [Scope] {
      [.app(app.name)] + (item.selection.isHandsFree ? [.handsFree] : [])
    }
  }

  let value: Value
  let scope: Scope
}

extension OverlapIndex {
  fileprivate init(_ value: OverlapKey.Value) {
    switch value {
    case .company: self.init(data: \.manufacturerData)
    case .service: self.init(data: \.serviceData)
    case .none, .network: self.init(data: nil)
    }
  }
}

/// Descriptors that share a key, arranged so that those which can mean the same device as another are found without a
/// comparison with each: by the kinds of their clauses, and by their data under each mask.
///
/// Capacity: every descriptor. ``shapesMax`` combinations of clauses and mask are compared with each other, later ones
/// only with their own; and of the descriptors that data do not tell apart, ``comparisonsMax`` are compared. So an
/// overlap can be missed, which costs a warning.
struct OverlapIndex {
  static let shapesMax = 32
  static let comparisonsMax = 64

  /// The data that follow the key; nil without a key.
  private let data: KeyPath<DiscoveryDescriptor, MaskedBytes?>?
  private var groups: [OverlapGroup] = []
  private var groupIndices: [OverlapShape: Int] = [:]
  /// The first of equal descriptors with a name, of a device or a network. Names are no index.
  private var named: [DiscoveryDescriptor: Int] = [:]

  init(data: KeyPath<DiscoveryDescriptor, MaskedBytes?>?) { self.data = data }

  /// Adds a descriptor; `place` is larger than those before.
  mutating func add(_ descriptor: DiscoveryDescriptor, at place: Int) {
    let data = data.flatMap { descriptor[keyPath: $0] }
    let shape = OverlapShape(kinds: ClauseKinds(descriptor), mask: data?.mask)
    let group = groupIndices[shape] ?? addGroup(shape)
    groups[group].add(place, data)
    if descriptor.hasName, named[descriptor] == nil { named[descriptor] = place }
  }

  private mutating func addGroup(_ shape: OverlapShape) -> Int {
    var group = OverlapGroup(shape)
    if groups.count < Self.shapesMax {
      for index in groups.indices { group.addTables(with: &groups[index]) }
    }
    groups.append(group)
    groupIndices[shape] = groups.count - 1
    return groups.count - 1
  }

  /// The place of the first descriptor that can mean the same device; `descriptors` are all, by their places.
  func firstOverlap(with descriptor: DiscoveryDescriptor, in descriptors: [DiscoveryDescriptor]) -> Int? {
    let data = data.flatMap { descriptor[keyPath: $0] }
    let shape = OverlapShape(kinds: ClauseKinds(descriptor), mask: data?.mask)
    var first = descriptor.hasName ? named[descriptor] : nil
    var comparisonsLeft = Self.comparisonsMax
    for index in groupsToSearch(for: shape) where groups[index].shape.kinds.canMeet(shape.kinds) {
      for place in groups[index].candidates(for: data) {
        guard comparisonsLeft > 0, place < first ?? .max else { break }
        comparisonsLeft -= 1
        if DescriptorOverlap(descriptor, descriptors[place]) != nil { first = place }
      }
    }
    return first
  }

  private func groupsToSearch(for shape: OverlapShape) -> [Int] {
    let own = groupIndices[shape]
    // A shape that is not there yet will be compared with the others if there is room for it.
    if own ?? groups.count >= Self.shapesMax { return own.map { [$0] } ?? [] }
    return Array(groups.indices.prefix(Self.shapesMax))
  }
}

extension DiscoveryDescriptor {
  fileprivate var hasName: Bool { nameSubstring != nil || hasWiFiClause }

  /// Whether every network name that the other matches is matched by this one.
  fileprivate func coversNetworks(of other: DiscoveryDescriptor) -> Bool {
    guard ssid == nil || other.ssid != nil, let name = other.ssid ?? other.ssidPrefix else { return false }
    return matches(network: name)
  }

  fileprivate func sharesKey(with other: DiscoveryDescriptor) -> Bool {
    (companyIdentifier != nil && companyIdentifier == other.companyIdentifier)
      || (serviceUUID != nil && serviceUUID == other.serviceUUID)
      || (!hasKey && !other.hasKey && hasBluetoothClause && other.hasBluetoothClause)
  }

  fileprivate func isDistinguishable(from other: DiscoveryDescriptor) -> Bool {
    differs(companyIdentifier, other.companyIdentifier) { $0 == $1 }
      || differs(serviceUUID, other.serviceUUID) { $0 == $1 }
      || differs(manufacturerData, other.manufacturerData) { $0.isCompatible(with: $1) }
      || differs(serviceData, other.serviceData) { $0.isCompatible(with: $1) }
      || differs(nameSubstring, other.nameSubstring) { $0.holds($1) || $1.holds($0) }
      || differs(addressPrefix, other.addressPrefix) { $0.begins($1) || $1.begins($0) }
      || !ClauseKinds(self).canMeet(ClauseKinds(other))
  }

  /// Whether every clause of this descriptor follows from one of the other.
  fileprivate func covers(_ other: DiscoveryDescriptor) -> Bool {
    follows(companyIdentifier, other.companyIdentifier) { $0 == $1 }
      && follows(serviceUUID, other.serviceUUID) { $0 == $1 }
      && follows(manufacturerData, other.manufacturerData) { $1.implies($0) }
      && follows(serviceData, other.serviceData) { $1.implies($0) }
      && follows(nameSubstring, other.nameSubstring) { $1.holds($0) }
      && (nameSubstring == nil || nameCompareOptions == other.nameCompareOptions)
      && follows(addressPrefix, other.addressPrefix) { $0.begins($1) }
  }
}

/// What a descriptor has clauses about.
struct ClauseKinds: OptionSet, Hashable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ descriptor: DiscoveryDescriptor) {
    let has = [
      descriptor.companyIdentifier != nil, descriptor.serviceUUID != nil,
      descriptor.manufacturerData != nil, descriptor.serviceData != nil,
      descriptor.nameSubstring != nil, descriptor.addressPrefix != nil,
    ]
    rawValue = has.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
  }

  /// Whether one of both asks for nothing that the other does not; otherwise they count as distinguished.
  func canMeet(_ other: Self) -> Bool { isSubset(of: other) || isSuperset(of: other) }
}

/// Descriptors of one shape are alike but for their values.
private struct OverlapShape: Hashable {
  let kinds: ClauseKinds
  /// nil without data.
  let mask: [UInt8]?
}

/// The descriptors of one shape, found by their data under their own mask and under those of other groups.
private struct OverlapGroup {
  let shape: OverlapShape
  private var places: [Int] = []
  /// Of each place, in their order; empty if the shape has no mask.
  private var data: [MaskedBytes] = []
  /// The masks that have a table.
  private var masks: [[UInt8]] = []
  /// For each of them: the places by their bytes under it.
  private var tables: [[[UInt8]: [Int]]] = []

  init(_ shape: OverlapShape) {
    self.shape = shape
    if let mask = shape.mask { addTable(under: mask) }
  }

  /// Prepares both groups for questions about each other's data: what both masks compare must be equal.
  mutating func addTables(with other: inout OverlapGroup) {
    guard let mask = shape.mask, let otherMask = other.shape.mask else { return }
    let common = Self.bytes(mask, under: otherMask)
    addTable(under: common)
    other.addTable(under: common)
  }

  private mutating func addTable(under mask: [UInt8]) {
    guard !masks.contains(mask) else { return }
    var table: [[UInt8]: [Int]] = [:]
    for (place, data) in zip(places, data) {
      table[Self.bytes(data.blob, under: mask), default: []].append(place)
    }
    masks.append(mask)
    tables.append(table)
  }

  mutating func add(_ place: Int, _ data: MaskedBytes?) {
    places.append(place)
    guard let data else { return }
    self.data.append(data)
    for index in masks.indices {
      tables[index][Self.bytes(data.blob, under: masks[index]), default: []].append(place)
    }
  }

  /// The places that data do not tell apart, ascending.
  func candidates(for data: MaskedBytes?) -> [Int] {
    guard let data, let mask = shape.mask else { return places }
    let common = Self.bytes(mask, under: data.mask)
    // A shape that is new has no tables yet.
    guard let index = masks.firstIndex(of: common) else {
      return zip(places, self.data).filter { $1.isCompatible(with: data) }.map(\.0)
    }
    return tables[index][Self.bytes(data.blob, under: common)] ?? []
  }

  private static func bytes(_ bytes: [UInt8], under mask: [UInt8]) -> [UInt8] {
    zip(bytes, mask).map { $0 & $1 }
  }
}

/// How two descriptors can mean one device, or one network.
///
/// An estimate, for a warning: two keys, two names, two values under common mask bits, or a name in one descriptor and
/// data in the other count as distinguishing devices, although one device may carry both.
public enum DescriptorOverlap: Equatable, Sendable {
  /// The two share a key, and nothing distinguishes them.
  case someDevices
  /// Every device that matches the second matches the first.
  case firstCoversSecond
  /// Every device that matches the first matches the second.
  case secondCoversFirst

  /// Returns nil if a clause distinguishes the two, or if they share no key.
  public init?(_ first: DiscoveryDescriptor, _ second: DiscoveryDescriptor) {
    let areNetworks = first.isFoundByNetwork && second.isFoundByNetwork
    guard areNetworks || first.sharesKey(with: second) && !first.isDistinguishable(from: second) else {
      return nil
    }
    if areNetworks ? first.coversNetworks(of: second) : first.covers(second) {
      self = .firstCoversSecond
    } else if areNetworks ? second.coversNetworks(of: first) : second.covers(first) {
      self = .secondCoversFirst
    } else {
      guard !areNetworks else { return nil }
      self = .someDevices
    }
  }
}

extension AddressPrefix {
  /// Whether every address that begins like `other` begins like this.
  fileprivate func begins(_ other: AddressPrefix) -> Bool {
    byteCount <= other.byteCount && other.bits >> (8 * UInt64(other.byteCount - byteCount)) == bits
  }
}

extension MaskedBytes {
  /// Whether every payload that matches this matches `weaker`.
  fileprivate func implies(_ weaker: MaskedBytes) -> Bool {
    guard weaker.blob.count <= blob.count, isCompatible(with: weaker) else { return false }
    return zip(weaker.mask, mask).allSatisfy { $0 & ~$1 == 0 }
  }
}

/// Whether both clauses exist and are unlike.
private func differs<Clause>(_ left: Clause?, _ right: Clause?, _ alike: (Clause, Clause) -> Bool) -> Bool {
  guard let left, let right else { return false }
  return !alike(left, right)
}

/// Whether `clause` is absent, or `other` guarantees it.
private func follows<Clause>(_ clause: Clause?, _ other: Clause?, _ holds: (Clause, Clause) -> Bool) -> Bool {
  guard let clause else { return true }
  guard let other else { return false }
  return holds(clause, other)
}

extension [UInt8] {
  /// Whether the bytes contain `run`. (The standard library's search for one collection in another would link its
  /// regular expressions, a megabyte of program.)
  fileprivate func holds(_ run: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: run) }
  }
}
