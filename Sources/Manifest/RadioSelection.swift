// SPDX-License-Identifier: GPL-3.0-or-later

/// Where advertising reports come from.
public enum RadioSelection: Hashable, Sendable {
  /// The first adapter that is there.
  case any
  /// `hci0` is index 0.
  case index(UInt16)
  /// The adapter with this public address, in the low 48 bits.
  case address(UInt64)
  /// A recording.
  case btsnoop(String)
  /// A controller behind a UNIX socket that carries H4 packets.
  case h4(String)
}
