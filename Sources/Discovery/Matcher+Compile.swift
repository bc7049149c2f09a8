// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension Matcher {
  /// Arranges the descriptors that were added. The first round counts how many descriptors share each clause, the
  /// second puts each under its rarest one.
  public mutating func compile() {
    for index in 0..<descriptorCount {
      let clauses = descriptors[index].clauses
      if let position = insert(manufacturer: clauses) { countCandidate(at: position) }
      if let position = insert(service: clauses) { countCandidate(at: position) }
    }
    for index in 0..<descriptorCount {
      descriptors[index].residue = chooseResidue(of: descriptors[index].clauses)
    }
    clear()
    // Chains grow at the front, so going backwards leaves them in manifest order.
    for index in (0..<descriptorCount).reversed() { link(index) }
  }

  /// Where a descriptor waits.
  enum Position: BitwiseCopyable {
    case key(Int)
    case entry(Int)
  }

  private func countCandidate(at position: Position) {
    switch position {
    case .key(let slot): keys[slot].candidates += 1
    case .entry(let index): entries[index].candidates += 1
    }
  }

  private func candidates(at position: Position?) -> Int32? {
    switch position {
    case nil: nil
    case .key(let slot): keys[slot].candidates
    case .entry(let index): entries[index].candidates
    }
  }

  private mutating func chooseResidue(of clauses: DescriptorClauses) -> Residue {
    let manufacturer = candidates(at: insert(manufacturer: clauses))
    let service = candidates(at: insert(service: clauses))
    var residue = Residue()
    residue.needsName = clauses.name.byteCount > 0 && clauses.nameMask.byteCount == 0
    residue.needsAddress = clauses.hasKey && clauses.addressPrefix != nil
    if let manufacturer, let service {
      residue.needsService = manufacturer <= service
      residue.needsManufacturer = !residue.needsService
      keysComplete = true
    }
    if residue.needsName, clauses.asksForMoreThanName { namesComplete = true }
    return residue
  }

  private mutating func link(_ index: Int) {
    switch position(of: descriptors[index]) {
    case .key(let slot):
      descriptors[index].next = keys[slot].firstDescriptor
      keys[slot].firstDescriptor = Int32(index)
    case .entry(let entry):
      descriptors[index].next = entries[entry].firstDescriptor
      entries[entry].firstDescriptor = Int32(index)
    }
  }

  /// Where a descriptor waits: under the clause that its residue leaves out.
  private mutating func position(of descriptor: Descriptor) -> Position {
    let clauses = descriptor.clauses
    if !descriptor.residue.needsManufacturer, let position = insert(manufacturer: clauses) { return position }
    if let position = insert(service: clauses) { return position }
    if let prefix = clauses.addressPrefix {
      waitUnderAddresses(byteCount: prefix.byteCount)
      return .key(insert(.address(prefix)))
    }
    searchesNames = true
    return insert(
      .name, blob: clauses.nameMask.byteCount > 0 ? clauses.name : .none, mask: clauses.nameMask)
  }

  private mutating func clear() {
    for slot in 0..<keys.count { keys[slot] = Key() }
    for slot in 0..<entrySlots.count { entrySlots[slot] = -1 }
    used = Usage(bytes: used.bytes)
  }

  private mutating func insert(manufacturer clauses: DescriptorClauses) -> Position? {
    guard let company = clauses.companyIdentifier else { return nil }
    return insert(.company(company), blob: clauses.manufacturerBlob, mask: clauses.manufacturerMask)
  }

  private mutating func insert(service clauses: DescriptorClauses) -> Position? {
    guard let uuid = clauses.serviceUUID else { return nil }
    return insert(.service(uuid), blob: clauses.serviceBlob, mask: clauses.serviceMask)
  }

  private mutating func insert(_ key: Key, blob: StoredBytes, mask: StoredBytes) -> Position {
    let slot = insert(key)
    guard blob.byteCount > 0 else { return .key(slot) }
    let group = insertGroup(under: slot, mask: mask)
    return .entry(insertEntry(in: group, blob: blob))
  }

  private mutating func insert(_ key: Key) -> Int {
    let slot = slot(of: key, in: keys)
    if keys[slot].kind == .free { keys[slot] = key }
    return slot
  }

  private mutating func insertGroup(under slot: Int, mask: StoredBytes) -> Int {
    var index = Int(keys[slot].firstGroup)
    while index >= 0 {
      if hasMask(groups[index], mask) { return index }
      index = Int(groups[index].next)
    }
    index = used.groups
    used.groups += 1
    groups[index] = makeGroup(mask: mask)
    groups[index].next = keys[slot].firstGroup
    keys[slot].firstGroup = Int32(index)
    return index
  }

  private func hasMask(_ group: Group, _ mask: StoredBytes) -> Bool {
    guard group.byteCount == mask.byteCount else { return false }
    let maskBytes = span(mask)
    var word = Int(group.firstWord)
    for offset in stride(from: 0, to: maskBytes.byteCount, by: 8) {
      let wanted = maskBytes.paddedUInt64(at: offset)
      guard wanted != 0 else { continue }
      guard word < Int(group.firstWord + 2 * group.wordCount), words[word] == UInt64(offset),
        words[word + 1] == wanted
      else { return false }
      word += 2
    }
    return word == Int(group.firstWord + 2 * group.wordCount)
  }

  /// Stores the mask as pairs of offset and word, words of zeros left out.
  private mutating func makeGroup(mask: StoredBytes) -> Group {
    var group = Group(firstWord: Int32(used.words), byteCount: mask.byteCount)
    var end = used.words
    for offset in stride(from: 0, to: Int(mask.byteCount), by: 8) {
      let word = span(mask).paddedUInt64(at: offset)
      guard word != 0 else { continue }
      if group.wordCount == 0 {
        group.mask = word
        group.maskOffset = Int32(offset)
      }
      words[end] = UInt64(offset)
      words[end + 1] = word
      end += 2
      group.wordCount += 1
    }
    used.words = end
    return group
  }

  private mutating func insertEntry(in group: Int, blob: StoredBytes) -> Int {
    let bytes = bytes
    let value = bytes.span(at: Int(blob.offset), count: Int(blob.byteCount))
    let first = value.paddedUInt64(at: Int(groups[group].maskOffset)) & groups[group].mask
    if let found = entry(of: group, first, value) { return found }
    let index = used.entries
    used.entries += 1
    entries[index] = Entry(group: Int32(group), firstWord: Int32(used.words))
    storeValue(of: blob, group: groups[group], at: used.words)
    used.words += Int(groups[group].wordCount)
    groups[group].expect(first, multiplier)
    entrySlots[freeEntrySlot(for: index)] = Int32(index)
    return index
  }

  private func storeValue(of blob: StoredBytes, group: Group, at start: Int) {
    for word in 0..<Int(group.wordCount) {
      let pair = Int(group.firstWord) + 2 * word
      words[start + word] = span(blob).paddedUInt64(at: Int(words[pair])) & words[pair + 1]
    }
  }

  private func freeEntrySlot(for index: Int) -> Int {
    let entry = entries[index]
    // A mask without set bits has no word; its one value hashes as a zero.
    let wordCount = Int(groups[Int(entry.group)].wordCount)
    var hash = mix(
      hashSeed(group: Int(entry.group)), wordCount > 0 ? words[Int(entry.firstWord)] : 0)
    for word in 1..<max(1, wordCount) { hash = mix(hash, words[Int(entry.firstWord) + word]) }
    var slot = Self.slot(hash, in: entrySlots.count)
    while entrySlots[slot] >= 0 { slot = (slot + 1) & (entrySlots.count - 1) }
    return slot
  }
}
