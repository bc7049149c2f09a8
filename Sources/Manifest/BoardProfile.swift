// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What is known about a board and its adapter; one file each in `Board/`.
public struct BoardProfile: Equatable, Sendable {
  /// The format this program reads: the value of the key `schema`.
  public static let schema: Int64 = 1

  /// How the adapter is connected.
  public enum Transport: String, CaseIterable, Sendable {
    case any, usb, uart
  }

  public var name: String
  public var transport = Transport.any
  /// Added to every reading so that adapters agree, in dB; nil when nobody measured it.
  public var rssiOffset: Int8?
  /// While nothing is asked for.
  public var low = ScanDuty(windowMilliseconds: 30, intervalMilliseconds: 300)
  /// While a request is open.
  public var balanced = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 120)
  /// While a request with an immediate item is open.
  public var fast = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
  /// What helps an adapter that answers no more, mildest first.
  public var recovery: [RecoveryStep] = []
  public var knownLimits: KnownLimits = []

  /// A ladder has a minute for all of its rungs.
  private static let settleMillisecondsMax = 20_000

  public init(name: String) { self.name = name }

  /// How long the adapter may take to come back behind the recovery unit's steps.
  public var settleMilliseconds: Int {
    let steps = recovery.lazy.filter(\.isPrivileged)
    return min(steps.reduce(0) { $0 + Int($1.waitMilliseconds) }, Self.settleMillisecondsMax)
  }

  /// Whether the recovery unit has something to do; the other steps are the agent's own, and always tried.
  public var asksForRecovery: Bool { recovery.contains { $0.isPrivileged } }
}
