// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What a look at one advertiser's merged payload found.
public struct Evaluation: Sendable, BitwiseCopyable {
  public var items = MatchedItems()
  /// The transmit power that an AD structure states, in dBm.
  public var txPower: Int8?
  /// Losses by ``Malformation/Kind``.
  public var lengthPastEnd: UInt8 = 0
  public var dataAfterEnd: UInt8 = 0
  public var wrongSize: UInt8 = 0

  public init() {}

  public var isMalformed: Bool { lengthPastEnd | dataAfterEnd | wrongSize != 0 }

  mutating func count(_ malformation: Malformation) {
    switch malformation.kind {
    case .lengthPastEnd: lengthPastEnd &+= 1
    case .dataAfterEnd: dataAfterEnd &+= 1
    case .wrongSize: wrongSize &+= 1
    }
  }
}

extension Matcher {
  /// The items whose descriptors hold on the merged view of `data` (advertising data) and `response` (scan
  /// response data). Each payload is parsed once.
  public mutating func evaluate(_ data: RawSpan, _ response: RawSpan) -> Evaluation {
    evaluation &+= 1
    if evaluation == 0 { forgetEvaluations() }
    var result = Evaluation()
    let view = MergedView(data: data, response: response)
    scan(data, of: view, into: &result)
    if response.byteCount > 0 { scan(response, of: view, into: &result) }
    return result
  }

  private mutating func forgetEvaluations() {
    for item in 0..<stamps.count { stamps[item] = 0 }
    evaluation = 1
  }

  private func scan(_ payload: RawSpan, of view: borrowing MergedView, into result: inout Evaluation) {
    var structures = ADStructures(payload)
    while true {
      do throws(Malformation) {
        guard let structure = try structures.next() else { return }
        look(at: try structure.decoded(), of: view, into: &result)
      } catch {
        result.count(error)
      }
    }
  }

  @inline(__always)
  private func look(at value: borrowing ADValue, of view: borrowing MergedView, into result: inout Evaluation)
  {
    switch value {
    case .manufacturerData(let company, let payload):
      let slot = slot(of: .company(company))
      guard keys[slot].kind != .free else { return }
      visitKey(slot, of: view, into: &result)
      visitGroups(slot, payload: payload, of: view, into: &result)
    case .serviceData(let uuid, let payload):
      let slot = slot(of: .service(uuid))
      guard keys[slot].kind != .free else { return }
      visitKey(slot, of: view, into: &result)
      visitGroups(slot, payload: payload, of: view, into: &result)
    case .services(let list):
      if list.isCut { result.wrongSize &+= 1 }
      for index in 0..<list.count { visitKey(slot(of: .service(list[index])), of: view, into: &result) }
    case .txPowerLevel(let power):
      result.txPower = power
    case .flags, .solicitations, .name, .appearance, .other:
      return
    }
  }

  /// The slot of a key, or the free one where it would stand.
  @inline(__always)
  func slot(of key: Key) -> Int {
    var slot = Self.slot(key.hash, in: keys.count)
    while keys[slot].kind != .free, !keys[slot].names(key) { slot = (slot &+ 1) & (keys.count &- 1) }
    return slot
  }

  private func visitKey(_ slot: Int, of view: borrowing MergedView, into result: inout Evaluation) {
    visitDescriptors(keys[slot].firstDescriptor, of: view, into: &result)
  }

  private func visitGroups(
    _ slot: Int, payload: RawSpan, of view: borrowing MergedView, into result: inout Evaluation
  ) {
    var index = Int(keys[slot].firstGroup)
    while index >= 0 {
      if let entry = entry(in: index, matching: payload) {
        visitDescriptors(entries[entry].firstDescriptor, of: view, into: &result)
      }
      index = Int(groups[index].next)
    }
  }

  /// The entry whose masked value `payload` has.
  @inline(__always)
  func entry(in index: Int, matching payload: RawSpan) -> Int? {
    guard payload.byteCount >= Int(groups[index].byteCount) else { return nil }
    if groups[index].entryCount == 1 {
      let first = payload.paddedUInt64(at: Int(groups[index].maskOffset)) & groups[index].mask
      guard first == groups[index].value else { return nil }
      let entry = Int(groups[index].firstEntry)
      return groups[index].wordCount <= 1 || hasValue(entry, payload) ? entry : nil
    }
    var hash = Self.hashSeed(group: index)
    var word = Int(groups[index].firstWord)
    let end = word &+ 2 &* Int(groups[index].wordCount)
    while word < end {
      hash = Self.mix(hash, payload.paddedUInt64(at: Int(words[word])) & words[word &+ 1])
      word &+= 2
    }
    return probe(hash, group: index, payload: payload)
  }

  private func probe(_ hash: UInt64, group: Int, payload: RawSpan) -> Int? {
    var slot = Self.slot(hash, in: entrySlots.count)
    while true {
      let entry = Int(entrySlots[slot])
      guard entry >= 0 else { return nil }
      if entries[entry].group == Int32(truncatingIfNeeded: group), hasValue(entry, payload) { return entry }
      slot = (slot &+ 1) & (entrySlots.count &- 1)
    }
  }

  private func hasValue(_ entry: Int, _ payload: RawSpan) -> Bool {
    let group = groups[Int(entries[entry].group)]
    let mask = Int(group.firstWord)
    let value = Int(entries[entry].firstWord)
    for word in 0..<Int(group.wordCount) {
      let octets = payload.paddedUInt64(at: Int(words[mask &+ 2 &* word]))
      if octets & words[mask &+ 2 &* word &+ 1] != words[value &+ word] { return false }
    }
    return true
  }

  private func visitDescriptors(_ first: Int32, of view: borrowing MergedView, into result: inout Evaluation)
  {
    var index = Int(first)
    while index >= 0 {
      let item = Int(descriptors[index].item)
      if stamps[item] != evaluation, holds(descriptors[index], on: view) {
        stamps[item] = evaluation
        result.items.insert(Int32(truncatingIfNeeded: item))
      }
      index = Int(descriptors[index].next)
    }
  }

  @inline(__always)
  static func hashSeed(group: Int) -> UInt64 { UInt64(truncatingIfNeeded: group) &* 0x9E37_79B9_7F4A_7C15 }

  @inline(__always)
  static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ mixed >> 32
  }

  @inline(__always)
  static func slot(_ hash: UInt64, in count: Int) -> Int {
    Int(truncatingIfNeeded: hash >> 32) & (count &- 1)
  }
}
