// SPDX-License-Identifier: GPL-3.0-or-later

/// The process at the other end of a connection, as the kernel named it when the connection was accepted. Nothing that
/// a message says changes it.
public struct Peer: Equatable, Sendable {
  public let process: Int32
  public let user: UInt32
  /// Its group and its supplementary groups.
  public let groups: Set<UInt32>

  public init(process: Int32, user: UInt32, groups: Set<UInt32>) {
    self.process = process
    self.user = user
    self.groups = groups
  }
}
