// SPDX-License-Identifier: GPL-3.0-or-later

/// Who is at the other end of a connection, by the kernel's word when it was accepted; never by the message's.
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
