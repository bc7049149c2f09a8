// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A scripted fault of a controller.
public struct ControllerFault: Equatable, Sendable {
  /// What causes it.
  public enum Trigger: Equatable, Sendable {
    /// A command with this opcode.
    case command(Opcode)
    case time(Instant)
  }

  /// Whether it happens before a command is carried out, or after its answer. A fault at a time has no stage.
  public enum Stage: String, CaseIterable, Sendable {
    case before, after
  }

  public enum Effect: Equatable, Sendable {
    /// The answer is delayed by this much.
    case late(milliseconds: Int)
    /// There is no answer. At the stage `before` the command is not carried out either.
    case lost
    /// The answer has this status. At the stage `before` the command is not carried out.
    case refused(ErrorCode)
    /// A Hardware Error event with this code.
    case hardwareError(UInt8)
    /// The controller sends nothing for a time, or until it is power-cycled.
    case silence(milliseconds: Int?)
    /// The controller is pulled out and put back after a time, or never. Put back, it starts from its reset state.
    case unplug(milliseconds: Int?)
    /// The controller sends bytes that belong to no packet, or to a wrong one.
    case garbage([UInt8])
  }

  public var trigger: Trigger
  public var effect: Effect
  public var stage = Stage.before
  /// How many commands pass before the first one that the fault affects.
  public var skips = 0
  /// How many commands it affects; nil affects all that follow.
  public var times: Int?

  public init(
    _ trigger: Trigger, _ effect: Effect, stage: Stage = .before, skips: Int = 0, times: Int? = nil
  ) {
    self.trigger = trigger
    self.effect = effect
    self.stage = stage
    self.skips = skips
    self.times = times
  }
}

/// The faults of a script, how many commands matched each, and which timed faults are still to come.
struct FaultSchedule: Sendable {
  private let faults: [ControllerFault]
  private var matchCounts: [Int]
  /// Faults at a time that are still to come, the next one last.
  private var timed: [(time: Instant, effect: ControllerFault.Effect)]

  init(_ faults: [ControllerFault]) {
    self.faults = faults
    matchCounts = Array(repeating: 0, count: faults.count)
    timed = faults.reversed().compactMap { fault in
      guard case .time(let time) = fault.trigger else { return nil }
      return (time, fault.effect)
    }
    timed.sort { $0.time > $1.time }
  }

  var nextTime: Instant? { timed.last?.time }

  mutating func removeNextEffect() -> ControllerFault.Effect? { timed.popLast()?.effect }

  /// Counts this command, and returns the faults that affect it, in the order of the script.
  mutating func faults(of opcode: Opcode) -> [ControllerFault] {
    faults.indices.compactMap { index in
      let fault = faults[index]
      guard fault.trigger == .command(opcode) else { return nil }
      matchCounts[index] += 1
      let number = matchCounts[index] - fault.skips
      guard number > 0, number <= fault.times ?? .max else { return nil }
      return fault
    }
  }
}
