// SPDX-License-Identifier: GPL-3.0-or-later

/// What networks are needed for, from little to much.
public enum NetworkDemand: Int, Hashable, Comparable, Sendable, CaseIterable, BitwiseCopyable {
  /// Nothing looks for a network: nothing is read, and no scan is started.
  case none
  /// Only what the kernel knows is read, which other programs' scans have found. No scan is started.
  case known
  /// An item that is set up without an operator: a scan at most every 60 s.
  case automatic
  /// An open request: a scan at most every 15 s.
  case picker

  public static func < (left: NetworkDemand, right: NetworkDemand) -> Bool { left.rawValue < right.rawValue }

  /// Milliseconds from the start of a scan to the start of the next one, or nil when no scan is started.
  ///
  /// While the interface is associated, a scan takes the radio from its connection for longer: then it is at most every 60 s.
  public func scanInterval(isAssociated: Bool) -> Int64? {
    switch self {
    case .none, .known: nil
    case .automatic: 60_000
    case .picker: isAssociated ? 60_000 : 15_000
    }
  }

  /// Milliseconds for which a list of networks is fresh. The kernel forgets a network 25 to 30 s after its last beacon, so
  /// that a list that is older tells nothing about what is in reach.
  public static let freshMilliseconds: Int64 = 30_000
}
