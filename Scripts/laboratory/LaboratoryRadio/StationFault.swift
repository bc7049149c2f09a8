// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// A fault of a controller, and what ends it: for each recovery action there is a fault that only this action, or a
/// later one, ends.
public struct StationFault: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// No packet passes in either direction.
    case silent
    /// Commands are answered, and no reports come.
    case deaf
    /// Commands are not answered, and reports continue.
    case ignoring
    /// Commands are answered with an error.
    case refusing(status: UInt8)
  }

  /// What ends it, besides an order of the scenario.
  public enum Cure: Equatable, Sendable {
    case none
    /// This many Reset commands; the controller carries out the last one.
    case resets(Int)
    /// This many commands that enable a scan.
    case scanEnables(Int)
  }

  public var kind: Kind
  /// The only command that is ignored or refused; nil affects all commands.
  public var opcode: UInt16?
  public var cure: Cure

  public init(_ kind: Kind, opcode: UInt16? = nil, cure: Cure = .none) {
    self.kind = kind
    self.opcode = opcode
    self.cure = cure
  }

  /// What happens to a command.
  public enum Verdict: Equatable, Sendable {
    /// The controller receives it, and the fault is over.
    case cured
    case delivered
    case swallowed
    case answered([UInt8])
  }

  /// Decides what happens to a command, and counts those that end the fault.
  public mutating func verdict(on command: HostCommand) -> Verdict {
    if cures(command) { return .cured }
    if let opcode, opcode != command.opcode { return .delivered }
    switch kind {
    case .silent, .ignoring: return .swallowed
    case .deaf: return .delivered
    case .refusing(let status):
      return .answered(PacketEncoder.commandComplete(command.opcode, status: status))
    }
  }

  private mutating func cures(_ command: HostCommand) -> Bool {
    switch cure {
    case .none: return false
    case .resets(let count):
      guard command.isReset else { return false }
      cure = .resets(count - 1)
      return count <= 1
    case .scanEnables(let count):
      guard command.isScanEnable else { return false }
      cure = .scanEnables(count - 1)
      return count <= 1
    }
  }

  /// Whether a packet of the controller reaches the host.
  public func passes(_ packet: [UInt8]) -> Bool {
    switch kind {
    case .silent: false
    case .deaf: StationCounters.reportCount(packet) == nil
    case .ignoring, .refusing: true
    }
  }
}
