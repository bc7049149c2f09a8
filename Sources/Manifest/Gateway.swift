// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery

/// The machine: its radios, its files, its sizes.
public struct Gateway: Equatable, Sendable {
  /// How the adapter is held.
  public enum Access: String, CaseIterable, Sendable {
    /// Beside bluetoothd.
    case shared
    /// A dedicated adapter on the user channel.
    case exclusive
  }

  /// What scanning sends.
  public enum Scan: String, CaseIterable, Sendable {
    /// Active only while a descriptor needs scan responses.
    case auto
    case passive
    case active
  }

  public var radio = RadioSelection.any
  public var access = Access.shared
  public var scan = Scan.auto
  /// The interface that scans for network names; nil looks for none.
  public var wifi: String?
  /// A profile in `Board/`.
  public var board = "generic"
  /// A program that signals the outcome of a touch.
  public var onTouch: String?
  /// The file that holds identity keys, mode 0600.
  public var identityKeys: String?
  /// While no request is open the radio is drained no more often than this.
  public var drainIntervalMilliseconds: Int32 = 20
  /// `changed` events of one device and item come no more often than this.
  public var changedIntervalMilliseconds: Int32 = 1000
  public var capacities = Capacities()
  public var limits = Limits()

  public init() {}
}
