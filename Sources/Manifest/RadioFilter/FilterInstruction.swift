// SPDX-License-Identifier: GPL-3.0-or-later

/// An instruction of a classic BPF program, as the kernel takes it (struct sock_filter in linux/filter.h).
public struct FilterInstruction: Equatable, Sendable, BitwiseCopyable {
  /// What it does. Numbers of a packet are read big-endian.
  public enum Operation: UInt16, Sendable, BitwiseCopyable {
    case loadByte = 0x30
    case loadWord = 0x20
    case loadByteAfterIndex = 0x50
    case loadHalfAfterIndex = 0x48
    case loadWordAfterIndex = 0x40
    case loadMemory = 0x60
    case loadNumber = 0x00
    case loadLength = 0x80
    case indexNumber = 0x01
    case indexMemory = 0x61
    case indexAccumulator = 0x07
    case storeMemory = 0x02
    case storeIndex = 0x03
    case add = 0x04
    case addIndex = 0x0C
    case and = 0x54
    case jump = 0x05
    case ifEqual = 0x15
    case ifEqualToIndex = 0x1D
    case ifGreaterThanIndex = 0x2D
    case ifAtLeast = 0x35
    case ifAnyBit = 0x45
    case end = 0x06
  }

  public let operation: Operation
  /// How many instructions are skipped when a condition holds, and when it does not.
  public let ifTrue: UInt8
  public let ifFalse: UInt8
  /// The number that the operation needs.
  public let operand: UInt32
}

/// Writes a program from its end to its beginning. The kernel allows jumps forward only, so that each target is there
/// when a jump to it is written.
struct FilterAssembler {
  typealias Step = (FilterInstruction.Operation, UInt32)
  typealias Case = (number: UInt32, target: Label)

  /// An instruction, by how many follow it.
  struct Label: Hashable { fileprivate let following: Int }

  /// The farthest target of a condition, with some to spare for jumps that are added on the way.
  private static let reach = 250

  private var reversed: [FilterInstruction] = []
  /// The last jump to a label that conditions could not reach.
  private var relays: [Label: Label] = [:]

  var instructions: [FilterInstruction] { reversed.reversed() }

  /// Instructions that are followed by those of a label; without one, the last of the program.
  mutating func run(_ steps: [Step], then next: Label?) -> Label {
    if let next, distance(next) > 0 { append(.jump, UInt32(distance(next))) }
    for (operation, operand) in steps.reversed() { append(operation, operand) }
    return Label(following: reversed.count - 1)
  }

  mutating func branch(
    _ condition: FilterInstruction.Operation, _ operand: UInt32 = 0, to holds: Label, else fails: Label
  ) -> Label {
    let (holds, fails) = (near(holds), near(fails))
    append(condition, operand, (UInt8(distance(holds)), UInt8(distance(fails))))
    return Label(following: reversed.count - 1)
  }

  /// Goes on at the label beside the accumulator's number. The numbers differ, and ascend.
  mutating func select(_ cases: ArraySlice<Case>, else missing: Label) -> Label {
    guard cases.count > 4 else {
      return cases.reversed().reduce(missing) { branch(.ifEqual, $1.number, to: $1.target, else: $0) }
    }
    let middle = cases.startIndex + cases.count / 2
    let upper = select(cases[middle...], else: missing)
    let lower = select(cases[..<middle], else: missing)
    return branch(.ifAtLeast, cases[middle].number, to: upper, else: lower)
  }

  private mutating func append(
    _ operation: FilterInstruction.Operation, _ operand: UInt32, _ skips: (UInt8, UInt8) = (0, 0)
  ) {
    reversed.append(
      FilterInstruction(operation: operation, ifTrue: skips.0, ifFalse: skips.1, operand: operand))
  }

  /// How many instructions lie between the next one that is written and a label.
  private func distance(_ label: Label) -> Int { reversed.count - 1 - label.following }

  private mutating func near(_ label: Label) -> Label {
    if distance(label) <= Self.reach { return label }
    if let relay = relays[label], distance(relay) <= Self.reach { return relay }
    relays[label] = run([], then: label)
    return Label(following: reversed.count - 1)
  }
}
