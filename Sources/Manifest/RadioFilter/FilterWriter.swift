// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI

/// Writes a filter's program: which packets it looks at, the addresses that pass, a walk that notes where the AD structures
/// are, and what is compared in those.
struct FilterWriter {
  private typealias Label = FilterAssembler.Label
  private typealias Step = FilterAssembler.Step

  /// The numbers that the kernel keeps beside the accumulator and the index. None of the parts begins at 0.
  private enum Slot: UInt32 {
    case end, structure, nextStructure, company, serviceData, name, service
  }

  /// Structures that the walk follows; a payload with more passes.
  private static let structuresMax = 5
  /// SKF_AD_OFF + SKF_AD_RANDOM: the kernel's random number.
  private static let random: UInt32 = 0xFFFF_F038

  private var assembler = FilterAssembler()
  private let clauses: FilterClauses
  private let detail: FilterProgram.Detail
  private let pass: Label
  /// Where a report ends that nothing looks for.
  private let chance: Label

  private init(_ clauses: FilterClauses, _ detail: FilterProgram.Detail) {
    (self.clauses, self.detail) = (clauses, detail)
    let drop = assembler.run([(.end, 0)], then: nil)
    pass = assembler.run([(.end, .max)], then: nil)
    let sign = assembler.run([(.end, UInt32(Pipeline.chanceByteCount))], then: nil)
    let decision = assembler.branch(.ifAnyBit, FilterProgram.chanceOfOneIn - 1, to: drop, else: sign)
    chance = assembler.run([(.loadWord, Self.random)], then: decision)
  }

  static func write(_ contents: FilterProgram.Contents, _ detail: FilterProgram.Detail) -> [FilterInstruction]
  {
    var writer = Self(FilterClauses(contents.descriptors), detail)
    let comparisons = writer.writeComparisons()
    let walk = writer.writeWalk(then: comparisons)
    writer.writeHead(then: writer.writeAddresses(contents, else: walk))
    return writer.assembler.instructions
  }

  // MARK: - The packet

  /// Looks at an event that is as long as its header says and has one report, and passes all others.
  private mutating func writeHead(then addresses: Label) {
    let (legacy, extended) = (writeLegacy(then: addresses), writeExtended(then: addresses))
    var start = assembler.select([(0x02, legacy), (0x0D, extended)], else: pass)
    start = assembler.run([(.loadByte, 3)], then: start)
    start = assembler.branch(.ifEqualToIndex, to: start, else: pass)
    start = assembler.run(
      [(.loadByte, 2), (.add, 3), (.indexAccumulator, 0), (.loadLength, 0)], then: start)
    for (offset, value) in [(4, 1), (1, 0x3E), (0, 0x04)] as [(UInt32, UInt32)] {
      start = check([(.loadByte, offset)], .ifEqual, value, then: start)
    }
    start = check([(.loadLength, 0)], .ifAtLeast, 15, then: start)
    let slots: [Slot] = [.company, .serviceData, .name, .service]
    _ = assembler.run([(.loadNumber, 0)] + slots.map { (.storeMemory, $0.rawValue) }, then: start)
  }

  /// LE Advertising Report (Core Specification 5.4, Volume 4, Part E, 7.7.65.2): its data are before a level.
  private mutating func writeLegacy(then addresses: Label) -> Label {
    var start = writeBounds(dataAt: 14, bytesAfter: 1, index: 0, then: addresses)
    if clauses.needsBothParts {
      // A scan response that has data passes.
      let response = check([(.loadByte, 13)], .ifEqual, 0, then: start)
      start = assembler.branch(.ifEqual, 4, to: response, else: start)
    }
    start = assembler.branch(.ifAtLeast, 5, to: pass, else: start)
    return assembler.run([(.loadByte, 5)], then: start)
  }

  /// LE Extended Advertising Report (7.7.65.13). Data of other than legacy advertising may be the last part of longer ones.
  private mutating func writeExtended(then addresses: Label) -> Label {
    var start = writeBounds(dataAt: 29, bytesAfter: 0, index: 1, then: addresses)
    start = check([(.loadByte, 6)], .ifEqual, 0, then: start)
    start = check([(.loadByte, 5), (.and, 0x70)], .ifEqual, 0x10, then: start)
    if clauses.needsBothParts {
      let response = check([(.loadByte, 28)], .ifEqual, 0, then: start)
      start = assembler.branch(.ifAnyBit, 0x08, to: response, else: start)
      start = assembler.run([(.loadByte, 5)], then: start)
    }
    return check([(.loadLength, 0)], .ifAtLeast, 29, then: start)
  }

  /// Notes where the data are, if they are as long as the byte before them says. The index says how much farther than in a
  /// legacy report the address is.
  private mutating func writeBounds(
    dataAt data: UInt32, bytesAfter: UInt32, index: UInt32, then addresses: Label
  ) -> Label {
    var start = assembler.run([(.indexNumber, index)], then: addresses)
    start = assembler.branch(.ifEqualToIndex, to: start, else: pass)
    return assembler.run(
      [
        (.loadNumber, data), (.storeMemory, Slot.structure.rawValue), (.loadByte, data - 1), (.add, data),
        (.storeMemory, Slot.end.rawValue), (.add, bytesAfter), (.indexAccumulator, 0), (.loadLength, 0),
      ], then: start)
  }

  /// Goes on if a condition holds, else the packet passes.
  private mutating func check(
    _ load: [Step], _ condition: FilterInstruction.Operation, _ operand: UInt32, then next: Label
  ) -> Label {
    let start = assembler.branch(condition, operand, to: next, else: pass)
    return assembler.run(load, then: start)
  }

  // MARK: - Addresses

  private mutating func writeAddresses(_ contents: FilterProgram.Contents, else walk: Label) -> Label {
    var start = walk
    if contents.passesPrivateAddresses {
      start = assembler.branch(.ifEqual, 0x40, to: pass, else: start)
      start = assembler.run([(.loadByteAfterIndex, 12), (.and, 0xC0)], then: start)
      start = assembler.branch(.ifEqual, 1, to: start, else: walk)
      start = assembler.run([(.loadByteAfterIndex, 6)], then: start)
    }
    for (mask, values) in clauses.prefixes.sorted(by: { $0.key < $1.key }) {
      start = find(values, after: [(.loadWordAfterIndex, 9), (.and, mask)], else: start)
    }
    let addresses = Set(contents.addresses.map(\.byteSwapped))
    start = find(addresses, after: [(.loadWordAfterIndex, 7)], else: start)
    // A type that is reserved, or no address.
    start = assembler.branch(.ifAtLeast, 4, to: pass, else: start)
    return assembler.run([(.loadByteAfterIndex, 6)], then: start)
  }

  /// Passes what has one of the numbers.
  private mutating func find(_ numbers: Set<UInt32>, after load: [Step], else missing: Label) -> Label {
    guard !numbers.isEmpty else { return missing }
    let start = assembler.select(numbers.sorted().map { (number: $0, target: pass) }[...], else: missing)
    return assembler.run(load, then: start)
  }

  // MARK: - The walk

  private mutating func writeWalk(then comparisons: Label) -> Label {
    var next = assembler.branch(.ifEqualToIndex, to: comparisons, else: pass)
    next = assembler.run([(.loadMemory, Slot.end.rawValue)], then: next)
    for _ in 0..<Self.structuresMax { next = writeStructure(then: next, end: comparisons) }
    return assembler.run([(.indexMemory, Slot.structure.rawValue)], then: next)
  }

  /// Follows a structure, to which the index leads. A length of zero ends the data.
  private mutating func writeStructure(then next: Label, end comparisons: Label) -> Label {
    let proceed = assembler.run([(.indexMemory, Slot.nextStructure.rawValue)], then: next)
    var start = assembler.select(writeTypes(then: proceed)[...], else: proceed)
    start = assembler.run([(.indexMemory, Slot.structure.rawValue), (.loadByteAfterIndex, 1)], then: start)
    start = assembler.branch(.ifGreaterThanIndex, to: pass, else: start)
    start = assembler.run(
      [
        (.storeIndex, Slot.structure.rawValue), (.addIndex, 0), (.add, 1),
        (.storeMemory, Slot.nextStructure.rawValue), (.indexMemory, Slot.end.rawValue),
      ], then: start)
    start = assembler.branch(.ifEqual, 0, to: comparisons, else: start)
    start = assembler.run([(.loadByteAfterIndex, 0)], then: start)
    start = assembler.branch(.ifEqualToIndex, to: comparisons, else: start)
    return assembler.run([(.loadMemory, Slot.end.rawValue)], then: start)
  }

  /// What is done with each type that some clause looks for.
  private mutating func writeTypes(then next: Label) -> [FilterAssembler.Case] {
    var cases: [FilterAssembler.Case] = []
    if !clauses.services.isEmpty {
      for (type, size) in [(2, 2), (4, 4), (6, 16)] as [(UInt32, UInt32)] {
        let list = writeList(of: size, then: next)
        cases += [(type, list), (type + 1, list)]
      }
    }
    if !clauses.names.isEmpty {
      let name = note(.name, [(.storeIndex, Slot.name.rawValue)], then: next)
      cases += [(0x08, name), (0x09, name)]
    }
    if clauses.hasServices {
      let data = noteKeyed(.serviceData, then: next)
      // Service data of 32 and 128 bits are rare.
      cases += [(0x16, data), (0x20, pass), (0x21, pass)]
    }
    if !clauses.companies.isEmpty { cases.append((0xFF, noteKeyed(.company, then: next))) }
    return cases
  }

  /// Notes the service of a list with one, by the four bytes that are sent last and written first. A longer list passes.
  private mutating func writeList(of size: UInt32, then next: Label) -> Label {
    let load: Step = size == 2 ? (.loadHalfAfterIndex, 2) : (.loadWordAfterIndex, size - 2)
    let service = note(.service, [load, (.storeMemory, Slot.service.rawValue)], then: next)
    let start = assembler.select([(1, next), (1 + size, service)], else: pass)
    return assembler.run([(.loadByteAfterIndex, 0)], then: start)
  }

  /// Notes a structure that begins with a key of two bytes. A shorter one passes.
  private mutating func noteKeyed(_ slot: Slot, then next: Label) -> Label {
    let start = note(slot, [(.storeIndex, slot.rawValue)], then: next)
    return check([(.loadByteAfterIndex, 0)], .ifAtLeast, 3, then: start)
  }

  /// Notes something the first time, and passes the second time.
  private mutating func note(_ slot: Slot, _ steps: [Step], then next: Label) -> Label {
    check([(.loadMemory, slot.rawValue)], .ifEqual, 0, then: assembler.run(steps, then: next))
  }

  // MARK: - Comparisons

  private mutating func writeComparisons() -> Label {
    let load: Step = (.loadMemory, Slot.service.rawValue)
    var next = find(clauses.services, after: [load], else: chance)
    next = compare(clauses.names, at: .name, keyByteCount: 0, then: next)
    next = compare(clauses.serviceData, at: .serviceData, keyByteCount: 2, then: next)
    return compare(clauses.companies, at: .company, keyByteCount: 2, then: next)
  }

  /// Compares the structure that the walk has noted, if it has.
  private mutating func compare(
    _ data: FilterClauses.KeyedData, at slot: Slot, keyByteCount: Int, then next: Label
  ) -> Label {
    guard !data.isEmpty else { return next }
    let cases = data.sorted { $0.key < $1.key }.map { key, values in
      (number: key, target: compare(values, keyByteCount: keyByteCount, else: next))
    }
    var start = cases[0].target
    if keyByteCount > 0 {
      start = assembler.run(
        [(.loadHalfAfterIndex, 2)], then: assembler.select(cases[...], else: next))
    }
    start = assembler.run([(.indexAccumulator, 0)], then: start)
    start = assembler.branch(.ifEqual, 0, to: next, else: start)
    return assembler.run([(.loadMemory, slot.rawValue)], then: start)
  }

  /// Compares the data after a key with all that are looked for there.
  private mutating func compare(
    _ values: Set<MaskedBytes>, keyByteCount: Int, else missing: Label
  ) -> Label {
    if detail == .keys || values.contains(where: \.blob.isEmpty) { return pass }
    var next = missing
    for value in values.sorted(by: { $0.blob.lexicographicallyPrecedes($1.blob) }) {
      let other = next
      next = pass
      let chunks = value.chunks.prefix(detail == .firstBytes ? 1 : .max)
      for chunk in chunks.reversed() {
        next = assembler.branch(.ifEqual, chunk.value, to: next, else: other)
        let offset = UInt32(2 + keyByteCount + chunk.offset)
        next = assembler.run([(chunk.load, offset), (.and, chunk.mask)], then: next)
      }
      next = assembler.branch(
        .ifAtLeast, UInt32(1 + keyByteCount + value.blob.count), to: next, else: other)
      next = assembler.run([(.loadByteAfterIndex, 0)], then: next)
    }
    return next
  }
}

extension MaskedBytes {
  /// Up to four bytes that one instruction loads.
  fileprivate typealias Chunk = (load: FilterInstruction.Operation, offset: Int, mask: UInt32, value: UInt32)

  /// The parts of the bytes whose mask compares something, in order.
  fileprivate var chunks: [Chunk] {
    var chunks: [Chunk] = []
    var offset = 0
    while offset < blob.count {
      let (count, load): (Int, FilterInstruction.Operation) =
        switch blob.count - offset {
        case 4...: (4, .loadWordAfterIndex)
        case 2...: (2, .loadHalfAfterIndex)
        default: (1, .loadByteAfterIndex)
        }
      let range = offset..<(offset + count)
      let mask = self.mask[range].reduce(0) { $0 << 8 | UInt32($1) }
      let value = blob[range].reduce(0) { $0 << 8 | UInt32($1) } & mask
      if mask != 0 { chunks.append((load, offset, mask, value)) }
      offset += count
    }
    return chunks
  }
}
