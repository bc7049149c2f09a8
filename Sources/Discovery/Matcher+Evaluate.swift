// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The result of evaluating one advertiser's merged payload.
public struct Evaluation: Sendable, BitwiseCopyable {
  public var items = MatchedItems()
  /// The transmit power that an AD structure states, in dBm.
  public var txPower: Int8?
  /// Losses by ``MalformedStructureError/Kind``.
  public var lengthPastEnd: UInt8 = 0
  public var dataAfterEnd: UInt8 = 0
  public var wrongSize: UInt8 = 0
  /// A clause may hold, but not all of any item: the device's other payload may meet the rest.
  var isPartial = false

  public init() {}

  @inline(__always)
  mutating func clear() {
    items.clear()
    txPower = nil
    lengthPastEnd = 0
    dataAfterEnd = 0
    wrongSize = 0
    isPartial = false
  }

  public var isMalformed: Bool { lengthPastEnd | dataAfterEnd | wrongSize != 0 }

  mutating func count(_ malformation: MalformedStructureError) {
    switch malformation.kind {
    case .lengthPastEnd: lengthPastEnd &+= 1
    case .dataAfterEnd: dataAfterEnd &+= 1
    case .wrongSize: countWrongSize()
    }
  }

  /// Stays at its highest value: a long payload can hold hundreds of values too short for their types, and that many
  /// must not look like none.
  mutating func countWrongSize() { wrongSize = max(wrongSize, wrongSize &+ 1) }
}

// Evaluating changes nothing but `evaluation` and `stamps`; the functions on the way are `mutating` all the same,
// because a borrow from a mutating caller would copy the whole matcher.

extension Matcher {
  /// Finds the items whose descriptors hold on the merged view of `data` (advertising data) and `response` (scan
  /// response data), and on the address that was set. Each payload is parsed once. The result is written in place: it
  /// is read more often than made.
  public mutating func evaluate(_ data: RawSpan, _ response: RawSpan, into result: inout Evaluation) {
    evaluation &+= 1
    if evaluation == 0 { forgetEvaluations() }
    result.clear()
    let view = MergedView(data: data, response: response)
    if asksForAddress { visitAddress(of: view, into: &result) }
    scan(view, isResponse: false, into: &result)
    if response.byteCount > 0 { scanResponse(of: view, into: &result) }
  }

  /// Whether the last evaluation found an item, even if the result had no room for it.
  func hasMet(_ item: Int32) -> Bool { stamps[Int(item)] == evaluation }

  /// The same for an advertiser of this address, where the copy of the result does not matter.
  public mutating func evaluate(_ data: RawSpan, _ response: RawSpan, of address: DeviceAddress) -> Evaluation
  {
    setAddress(address)
    var result = Evaluation()
    evaluate(data, response, into: &result)
    return result
  }

  /// Visits what waits under the first bytes of the address, each length once.
  @inline(never)
  private mutating func visitAddress(of view: borrowing MergedView, into result: inout Evaluation) {
    guard addressBits != Self.noAddress else { return }
    for byteCount in UInt8(1)...6 where addressByteCounts >> byteCount & 1 != 0 {
      let slot = slot(of: .address(AddressPrefix(of: addressBits, byteCount: byteCount)), in: keys)
      if keys[slot].kind != .free { visitKey(slot, of: view, into: &result) }
    }
  }

  @inline(never)
  private mutating func scanResponse(of view: borrowing MergedView, into result: inout Evaluation) {
    scan(view, isResponse: true, into: &result)
  }

  private mutating func forgetEvaluations() {
    for item in 0..<stamps.count { stamps[item] = 0 }
    evaluation = 1
  }

  @inline(__always)
  private mutating func scan(_ view: borrowing MergedView, isResponse: Bool, into result: inout Evaluation) {
    var structures = ADStructures(isResponse ? view.response : view.data)
    let keys = keys
    while true {
      do throws(MalformedStructureError) {
        guard let structure = try structures.next() else { return }
        try match(structure, in: keys, isResponse: isResponse, of: view, into: &result)
      } catch {
        result.count(error)
      }
    }
  }

  /// Flags and solicitations are no keys, and names rarely; the frequent kinds of structure are read without a detour.
  @inline(__always)
  private mutating func match(
    _ structure: ADStructure, in keys: FixedTable<Key>, isResponse: Bool, of view: borrowing MergedView,
    into result: inout Evaluation
  ) throws(MalformedStructureError) {
    switch structure.type {
    case ADType.flags.rawValue:
      return
    case ADType.completeName.rawValue, ADType.shortenedName.rawValue:
      if namesComplete { result.isPartial = true }
      if searchesNames {
        try matchRareStructure(at: structure.offset, isResponse: isResponse, of: view, into: &result)
      }
    case ADType.manufacturerData.rawValue:
      let slot = slot(of: .company(try structure.key16()), in: keys)
      if keys[slot].kind != .free {
        visit(slot, payload: structure.bytesAfterKey(2), of: view, into: &result)
      }
    case ADType.serviceData16.rawValue:
      let slot = slot(of: .service(short: UInt32(try structure.key16())), in: keys)
      if keys[slot].kind != .free {
        visit(slot, payload: structure.bytesAfterKey(2), of: view, into: &result)
      }
    case ADType.completeServices16.rawValue, ADType.incompleteServices16.rawValue:
      guard structure.byteCount & 1 == 0 else { fallthrough }
      for index in 0..<(structure.byteCount / 2) {
        let slot = slot(of: .service(short: UInt32(structure.element16(index))), in: keys)
        if keys[slot].kind != .free { visitKey(slot, of: view, into: &result) }
      }
    default:
      if structure.type == ADType.txPowerLevel.rawValue, structure.byteCount == 1 {
        result.txPower = Int8(bitPattern: structure.value.uint8(at: 0))
        return
      }
      try matchRareStructure(at: structure.offset, isResponse: isResponse, of: view, into: &result)
    }
  }

  @inline(never)
  private mutating func matchRareStructure(
    at offset: Int, isResponse: Bool, of view: borrowing MergedView, into result: inout Evaluation
  ) throws(MalformedStructureError) {
    var structures = ADStructures(isResponse ? view.response : view.data, from: offset)
    guard let structure = try structures.next() else { return }
    switch try structure.decoded() {
    case .serviceData(let uuid, let payload):
      let slot = slot(of: .service(uuid), in: keys)
      if keys[slot].kind != .free { visit(slot, payload: payload, of: view, into: &result) }
    case .services(let list):
      if list.isTruncated { result.countWrongSize() }
      let keys = keys
      for index in 0..<list.count {
        let slot = slot(of: .service(list[index]), in: keys)
        if keys[slot].kind != .free { visitKey(slot, of: view, into: &result) }
      }
    case .txPowerLevel(let power):
      result.txPower = power
    case .solicitations(let list):
      if list.isTruncated { result.countWrongSize() }
    case .name(let name, _):
      let slot = slot(of: .name, in: keys)
      if keys[slot].kind != .free { visit(slot, payload: name, of: view, into: &result) }
    case .manufacturerData, .flags, .appearance, .other:
      return
    }
  }

  /// The slot of a key, or the free one where it would stand.
  @inline(__always)
  func slot(of key: Key, in keys: FixedTable<Key>) -> Int {
    var slot = Self.slot(key.hash(multiplier), in: keys.count)
    while keys[slot].kind != .free, !keys[slot].names(key) { slot = (slot &+ 1) & (keys.count &- 1) }
    return slot
  }

  @inline(never)
  private mutating func visitKey(_ slot: Int, of view: borrowing MergedView, into result: inout Evaluation) {
    let first = keys[slot].firstDescriptor
    if first >= 0 { visitDescriptors(first, of: view, into: &result) }
  }

  /// Visits a key with data after it: first the descriptors of the key alone, then those of some data. Most masks begin
  /// with the data, and one bit distinguishes most values from all values of a group.
  @inline(never)
  private mutating func visit(
    _ slot: Int, payload: RawSpan, of view: borrowing MergedView, into result: inout Evaluation
  ) {
    let groups = groups
    let first = keys[slot].firstDescriptor
    var index = Int(keys[slot].firstGroup)
    if first >= 0 { visitDescriptors(first, of: view, into: &result) }
    let start = payload.paddedUInt64(at: 0)
    while index >= 0 {
      let offset = Int(groups[index].maskOffset)
      let word = (offset == 0 ? start : payload.paddedUInt64(at: offset)) & groups[index].mask
      if groups[index].mayHold(word, multiplier), payload.byteCount >= Int(groups[index].byteCount) {
        visitEntry(of: index, word, payload, of: view, into: &result)
      }
      index = Int(groups[index].next)
    }
  }

  @inline(never)
  private mutating func visitEntry(
    of group: Int, _ firstWord: UInt64, _ payload: RawSpan, of view: borrowing MergedView,
    into result: inout Evaluation
  ) {
    guard let entry = entry(of: group, firstWord, payload) else { return }
    visitDescriptors(entries[entry].firstDescriptor, of: view, into: &result)
  }

  /// The entry of a group whose masked value `payload` has; `firstWord` is where that begins.
  @inline(__always)
  mutating func entry(of group: Int, _ firstWord: UInt64, _ payload: RawSpan) -> Int? {
    var hash = mix(hashSeed(group: group), firstWord)
    if groups[group].wordCount > 1 { mixFurtherWords(of: groups[group], payload, into: &hash) }
    var slot = Self.slot(hash, in: entrySlots.count)
    while true {
      let entry = Int(entrySlots[slot])
      guard entry >= 0 else { return nil }
      if entries[entry].group == Int32(truncatingIfNeeded: group), hasValue(entry, payload) { return entry }
      slot = (slot &+ 1) & (entrySlots.count &- 1)
    }
  }

  @inline(never)
  private mutating func mixFurtherWords(of group: Group, _ payload: RawSpan, into hash: inout UInt64) {
    for word in 1..<Int(group.wordCount) {
      let pair = Int(group.firstWord) &+ 2 &* word
      hash = mix(hash, payload.paddedUInt64(at: Int(words[pair])) & words[pair &+ 1])
    }
  }

  @inline(never)
  private mutating func hasValue(_ entry: Int, _ payload: RawSpan) -> Bool {
    let group = groups[Int(entries[entry].group)]
    let mask = Int(group.firstWord)
    let value = Int(entries[entry].firstWord)
    for word in 0..<Int(group.wordCount) {
      let bits = payload.paddedUInt64(at: Int(words[mask &+ 2 &* word]))
      if bits & words[mask &+ 2 &* word &+ 1] != words[value &+ word] { return false }
    }
    return true
  }

  @inline(never)
  private mutating func visitDescriptors(
    _ first: Int32, of view: borrowing MergedView, into result: inout Evaluation
  ) {
    var index = Int(first)
    while index >= 0 {
      let item = Int(descriptors[index].item)
      if stamps[item] != evaluation {
        if !descriptors[index].residue.isThere || holds(descriptors[index], on: view) {
          stamps[item] = evaluation
          result.items.insert(Int32(truncatingIfNeeded: item))
        } else if descriptors[index].clauses.asksForMoreThanName {
          result.isPartial = true
        }
      }
      index = Int(descriptors[index].next)
    }
  }

  @inline(__always)
  func hashSeed(group: Int) -> UInt64 { UInt64(truncatingIfNeeded: group) &* multiplier }

  @inline(__always)
  func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (hash ^ word) &* multiplier
    return mixed ^ mixed >> 32
  }

  @inline(__always)
  static func slot(_ hash: UInt64, in count: Int) -> Int {
    Int(truncatingIfNeeded: hash >> 32) & (count &- 1)
  }
}
