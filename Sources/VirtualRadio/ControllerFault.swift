// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Something that goes wrong with a controller, as data.
public struct ControllerFault: Equatable, Sendable {
  /// What brings it about.
  public enum Trigger: Equatable, Sendable {
    /// A command with this opcode.
    case command(Opcode)
    case time(Instant)
  }

  /// Whether it comes before a command is carried out, or behind its answer. A fault at a time has no stage.
  public enum Stage: String, CaseIterable, Sendable {
    case before, after
  }

  public enum Effect: Equatable, Sendable {
    /// The answer comes so much later.
    case late(milliseconds: Int)
    /// There is no answer; before: nothing was done either.
    case lost
    /// The answer has this status; before: nothing was done.
    case refused(ErrorCode)
    /// A Hardware Error event with this code.
    case hardwareError(UInt8)
    /// Nothing is heard of it for a time, or until it is powered again.
    case silence(milliseconds: Int?)
    /// It is pulled out and put back after a time, or never; it then starts afresh.
    case unplug(milliseconds: Int?)
    /// Bytes that belong to no packet, or to a wrong one.
    case garbage([UInt8])
  }

  public var trigger: Trigger
  public var effect: Effect
  public var stage = Stage.before
  /// How many commands pass unharmed before the first that does not.
  public var skips = 0
  /// How many commands it harms; nil all that follow.
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

/// The faults of a script and how often each has been met.
struct FaultBook: Sendable {
  private let faults: [ControllerFault]
  private var met: [Int]
  /// Faults at a time that are still to come, the next one last.
  private var timed: [(time: Instant, effect: ControllerFault.Effect)]

  init(_ faults: [ControllerFault]) {
    self.faults = faults
    met = Array(repeating: 0, count: faults.count)
    timed = faults.reversed().compactMap { fault in
      guard case .time(let time) = fault.trigger else { return nil }
      return (time, fault.effect)
    }
    timed.sort { $0.time > $1.time }
  }

  var nextTime: Instant? { timed.last?.time }

  mutating func takeNext() -> ControllerFault.Effect? { timed.popLast()?.effect }

  /// What harms this command, in the order of the script.
  mutating func faults(of opcode: Opcode) -> [ControllerFault] {
    faults.indices.compactMap { index in
      let fault = faults[index]
      guard fault.trigger == .command(opcode) else { return nil }
      met[index] += 1
      let number = met[index] - fault.skips
      guard number > 0, number <= fault.times ?? .max else { return nil }
      return fault
    }
  }
}
