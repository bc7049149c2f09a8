// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// What is wrong with a controller until something cures it: each step of a recovery ladder has a fault that only it, or
/// a later one, can end.
public struct StationFault: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// Nothing goes either way.
    case silent
    /// Commands are answered, and nothing is heard.
    case deaf
    /// Commands are not answered, and reports go on.
    case ignoring
    /// Commands are answered with an error.
    case refusing(status: UInt8)
  }

  /// What ends it, besides an order.
  public enum Cure: Equatable, Sendable {
    case none
    /// So many Reset commands; the last of them is carried out.
    case resets(Int)
    /// So many commands that enable a scan.
    case scanEnables(Int)
  }

  public var kind: Kind
  /// Only this command is ignored or refused; nil harms all of them.
  public var opcode: UInt16?
  public var cure: Cure

  public init(_ kind: Kind, opcode: UInt16? = nil, cure: Cure = .none) {
    self.kind = kind
    self.opcode = opcode
    self.cure = cure
  }

  /// What becomes of a command.
  public enum Verdict: Equatable, Sendable {
    /// The controller gets it, and the fault is over.
    case cured
    case delivered
    case swallowed
    case answered([UInt8])
  }

  /// Judges one command; counts those that cure.
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
  public func lets(_ packet: [UInt8]) -> Bool {
    switch kind {
    case .silent: false
    case .deaf: Written.reportCount(packet) == nil
    case .ignoring, .refusing: true
    }
  }
}
