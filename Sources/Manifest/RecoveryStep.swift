// SPDX-License-Identifier: GPL-3.0-or-later

/// One attempt to bring an adapter back that answers no more.
public struct RecoveryStep: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The command Reset (Core Specification 5.4, Volume 4, Part E, 7.3.2).
    case reset
    /// The adapter off and on.
    case power
    /// The radio blocked and unblocked.
    case rfkill
    /// The USB port reset.
    case usbReset
    /// The driver unbound from the device and bound again, by their names in sysfs.
    case rebind(driver: String, device: String)
  }

  public var kind: Kind
  /// How long the adapter may take to come back; behind steps that are done one after the other, as long as all of them.
  public var waitMilliseconds: Int32 = 2000

  public init(kind: Kind) { self.kind = kind }

  /// Whether it needs more rights than the agent has, so that the recovery unit does it.
  public var isPrivileged: Bool {
    switch kind {
    case .reset, .power: false
    case .rfkill, .usbReset, .rebind: true
    }
  }
}
