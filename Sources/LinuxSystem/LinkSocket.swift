// SPDX-License-Identifier: GPL-3.0-or-later

import CBluetooth
import Glibc

/// A socket for the Attribute Protocol of an LE device: L2CAP's fixed channel 4, one packet in each message.
///
/// It is non-blocking, and becomes writable when the kernel has connected it or could not. Closing its last copy ends the
/// link after two seconds.
public final class LinkSocket: Sendable {
  public let descriptor: Descriptor
  private let isEncrypted: Bool

  /// Takes a socket in the place of one that connects, for tests.
  public init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
    isEncrypted = false
  }

  /// Begins to connect to a device. Addresses are in the low 48 bits; an adapter's address of 0 means any adapter. With
  /// `isEncrypted` the kernel encrypts the link with the keys of a bond.
  public init(
    connectingTo device: UInt64, isRandom: Bool, from adapter: UInt64, isEncrypted: Bool
  ) throws(SystemError) {
    descriptor = Descriptor(owning: try retryOnInterrupt(.socket) { cbluetooth_att_socket() })
    self.isEncrypted = isEncrypted
    let number = descriptor.number
    let result = cbluetooth_att_connect(number, adapter, device, isRandom ? 1 : 0, isEncrypted ? 1 : 0)
    guard result == -1, errno != EINPROGRESS else { return }
    throw SystemError(.connect)
  }

  /// Checks, once the socket is writable, that it is connected, and that the link is as safe as was asked for.
  public func checkConnection() throws(SystemError) {
    let number = descriptor.number
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    // Holds: both are local variables.
    _ = try retryOnInterrupt(.connect) { unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) }
    guard code == 0 else { throw SystemError(.connect, code: code) }
    guard isEncrypted else { return }
    // Without a bond the kernel connects all the same, and begins to pair.
    let state = try retryOnInterrupt(.connect) { cbluetooth_att_is_encrypted(number) }
    guard state == 1 else { throw SystemError(.connect, code: EACCES) }
  }
}

extension SystemError {
  /// The link has a channel of the Attribute Protocol already.
  public var isLinkInUse: Bool { code == EBUSY }
}
