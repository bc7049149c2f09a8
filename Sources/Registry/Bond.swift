// SPDX-License-Identifier: GPL-3.0-or-later

/// What a pairing with a device left behind. It belongs to the device and is the same for all apps.
public enum Bond: Equatable, Sendable {
  case none
  /// `keys` are ours; nil when another program, bluetoothd, keeps them.
  case bonded(keys: BondKeys?)
  /// There were keys, and the device does not take them any more.
  case lost
}

/// The keys of a bond, as whoever paired wrote them down. They are stored and loaded, and never printed.
public struct BondKeys: Equatable, Sendable {
  /// Room for the keys of both sides: long-term, identity resolving and signing, with what belongs to them.
  public static let byteCountMax = 512

  public let bytes: [UInt8]

  /// Nil when there are none, or more than anybody writes.
  public init?(_ bytes: [UInt8]) {
    guard (1...Self.byteCountMax).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }
}

extension BondKeys: CustomStringConvertible, CustomReflectable {
  public var description: String { "(keys)" }
  /// Dumps and failed expectations show what a mirror does.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
