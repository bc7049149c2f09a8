// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// Runs a filter's program as the kernel does (net/core/filter.c): a load from outside of the packet drops it.
public struct FilterMachine {
  private let instructions: [FilterInstruction]
  /// Loads from outside of a packet, which no program should need.
  public private(set) var failedLoads = 0
  private var accumulator: UInt32 = 0
  private var index: UInt32 = 0
  private var memory = [UInt32](repeating: 0, count: 16)

  public init(_ program: FilterProgram) { instructions = program.instructions }

  /// What the kernel refuses in the program; nil when it takes it.
  public var error: String? {
    var written: [Int: Set<UInt32>] = [0: []]
    for (place, instruction) in instructions.enumerated() {
      guard let before = written[place] else { return "instruction \(place) is never reached" }
      var after = before
      var targets = [place + 1]
      switch instruction.operation {
      case .storeMemory, .storeIndex: after.insert(instruction.operand)
      case .loadMemory, .indexMemory:
        if !before.contains(instruction.operand) { return "\(place) reads number \(instruction.operand)" }
      case .end: targets = []
      case .jump: targets = [place + 1 + Int(instruction.operand)]
      case .ifEqual, .ifEqualToIndex, .ifGreaterThanIndex, .ifAtLeast, .ifAnyBit:
        targets = [place + 1 + Int(instruction.ifTrue), place + 1 + Int(instruction.ifFalse)]
      default: break
      }
      for target in targets {
        guard target < instructions.count else { return "\(place) leads out of the program" }
        written[target] = written[target].map { $0.intersection(after) } ?? after
      }
    }
    return instructions.count > FilterProgram.instructionsMax ? "it is too long" : nil
  }

  /// Whether a packet passes whole or in part; `random` is what the kernel draws for it.
  public mutating func passes(_ packet: [UInt8], random: UInt32 = 1) -> Bool {
    passed(packet, random: random) != nil
  }

  /// What passes of a packet; nil for one that is dropped.
  public mutating func passed(_ packet: [UInt8], random: UInt32 = 1) -> [UInt8]? {
    (accumulator, index) = (0, 0)
    var place = 0
    while true {
      let instruction = instructions[place]
      place += 1
      if instruction.operation == .end {
        return instruction.operand == 0 ? nil : Array(packet.prefix(Int(instruction.operand)))
      }
      if instruction.operation == .jump {
        place += Int(instruction.operand)
      } else if let holds = holds(instruction) {
        place += Int(holds ? instruction.ifTrue : instruction.ifFalse)
      } else if !run(instruction, packet, random: random) {
        failedLoads += 1
        return nil
      }
    }
  }

  /// nil for what is no condition.
  private func holds(_ instruction: FilterInstruction) -> Bool? {
    switch instruction.operation {
    case .ifEqual: accumulator == instruction.operand
    case .ifEqualToIndex: accumulator == index
    case .ifGreaterThanIndex: accumulator > index
    case .ifAtLeast: accumulator >= instruction.operand
    case .ifAnyBit: accumulator & instruction.operand != 0
    default: nil
    }
  }

  /// Returns false for a load that fails.
  private mutating func run(_ instruction: FilterInstruction, _ packet: [UInt8], random: UInt32) -> Bool {
    let operand = instruction.operand
    switch instruction.operation {
    case .loadByte: return load(1, at: operand, packet)
    case .loadWord:
      guard operand == 0xFFFF_F038 else { return load(4, at: operand, packet) }
      accumulator = random
    case .loadByteAfterIndex: return load(1, at: index &+ operand, packet)
    case .loadHalfAfterIndex: return load(2, at: index &+ operand, packet)
    case .loadWordAfterIndex: return load(4, at: index &+ operand, packet)
    case .loadMemory: accumulator = memory[Int(operand)]
    case .loadNumber: accumulator = operand
    case .loadLength: accumulator = UInt32(packet.count)
    case .indexNumber: index = operand
    case .indexMemory: index = memory[Int(operand)]
    case .indexAccumulator: index = accumulator
    case .storeMemory: memory[Int(operand)] = accumulator
    case .storeIndex: memory[Int(operand)] = index
    case .add: accumulator &+= operand
    case .addIndex: accumulator &+= index
    case .and: accumulator &= operand
    case .jump, .ifEqual, .ifEqualToIndex, .ifGreaterThanIndex, .ifAtLeast, .ifAnyBit, .end: break
    }
    return true
  }

  private mutating func load(_ byteCount: Int, at offset: UInt32, _ packet: [UInt8]) -> Bool {
    let start = Int(offset)
    guard start + byteCount <= packet.count else { return false }
    accumulator = packet[start..<(start + byteCount)].reduce(0) { $0 << 8 | UInt32($1) }
    return true
  }
}
