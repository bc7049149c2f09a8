// SPDX-License-Identifier: GPL-3.0-or-later

/// The sizes of every table in the data path, fixed at start.
public struct Capacities: Equatable, Sendable, BitwiseCopyable {
  /// Advertisers remembered; the unknown device that was heard least recently gives way.
  public var devices: Int32 = 2000
  /// Payloads over 31 bytes remembered.
  public var longPayloads: Int32 = 128
  /// Chains of extended advertising fragments followed at once.
  public var reassemblies: Int32 = 8
  /// Devices that match one item without a grant; the weakest of them gives way to a stronger one.
  public var matchesPerItem: Int32 = 256
  /// Addresses of accessories, which keep their rows.
  public var accessories: Int32 = 256
  /// Sighting events kept for slow readers.
  public var events: Int32 = 1024
  /// Bytes kept for the payloads of those events.
  public var eventBytes: Int32 = 65_536

  public init() {}
}
