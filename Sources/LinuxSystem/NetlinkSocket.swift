// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// A socket of generic netlink, non-blocking. A message to it goes to the kernel, and only the kernel and programs with
/// CAP_NET_ADMIN can send it any.
public struct NetlinkSocket: ~Copyable, Sendable {
  /// Room for the scans of a few seconds and a list; when it is full, the kernel drops news and reports that once.
  private static let receiveBytes: Int32 = 256 << 10
  /// The kernel sends datagrams of at most 32 KiB.
  public static let datagramBytesMax = 1 << 16

  public let descriptor: Descriptor

  public init() throws(SystemError) {
    descriptor = Descriptor(
      owning: try retryOnInterrupt(.socket) { clinux_generic_netlink_socket(Self.receiveBytes) })
  }

  /// Receives the messages of a group too.
  public func join(group: UInt32) throws(SystemError) {
    try descriptor.call(.joinGroup) { clinux_netlink_join($0, group) }
  }
}

/// A network interface as the kernel knows it now.
public struct NetworkInterface: Equatable, Sendable {
  /// Its number, which no other interface has until the next boot.
  public let index: UInt32
  public let isUp: Bool

  /// Looks for the interface with this name.
  public init(named name: String) throws(SystemError) {
    var isUp: Int32 = 0
    let index = try retryOnInterrupt(.interface) {
      // Holds: the name is only read, and `isUp` is a local variable.
      unsafe clinux_interface(name, &isUp)
    }
    self.index = UInt32(truncatingIfNeeded: index)
    self.isUp = isUp != 0
  }

  /// Whether the interface has a radio for networks, as /sys says.
  public static func isWireless(_ name: String) -> Bool {
    FileName.content(of: "/sys/class/net/\(name)/phy80211") != .nothing
  }
}

extension SystemError {
  /// The code of a reply that did not come in time.
  public static var timeOutCode: Int32 { ETIMEDOUT }
  /// There is no such interface, or it was removed.
  public var isWithoutInterface: Bool { code == ENODEV }
  public var isInterfaceDown: Bool { code == ENETDOWN || code == ERFKILL }
  /// The interface does not know the request, or the kernel knows it for no interface.
  public var isNotSupported: Bool { code == EOPNOTSUPP || code == ENOTTY }
  /// The process may not have sockets of the family, or the kernel has none.
  public var isFamilyRefused: Bool { code == EAFNOSUPPORT || code == EPERM || code == EACCES }
  public var isLongerThanItsLength: Bool { code == E2BIG }
  public var isBusy: Bool { code == EBUSY }
  /// Nothing is there yet.
  public var isNotYet: Bool { code == EAGAIN }
  /// The kernel dropped messages because the socket's buffer was full.
  public var isOverrun: Bool { code == ENOBUFS }
}
