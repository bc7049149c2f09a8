// SPDX-License-Identifier: GPL-3.0-or-later

import CBluetooth
import Glibc

/// A socket for the Attribute Protocol of an LE device: L2CAP's fixed channel 4, one packet in each message.
///
/// It is non-blocking, and becomes writable when the kernel has connected it or could not. Closing its last copy ends the
/// link after two seconds.
public final class LinkSocket: Sendable {
  public let descriptor: Descriptor

  /// Takes a socket in the place of one that connects, for tests.
  public init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Begins to connect to a device. Addresses are in the low 48 bits; an adapter's address of 0 means any adapter.
  /// `level` is one of the kernel's security levels: 1 without keys, 2 with those of a bond, 3 with authenticated ones.
  public init(
    connectingTo device: UInt64, isRandom: Bool, from adapter: UInt64, level: UInt8
  ) throws(SystemError) {
    descriptor = Descriptor(owning: try retryOnInterrupt(.socket) { cbluetooth_att_socket() })
    let result = cbluetooth_att_connect(descriptor.number, adapter, device, isRandom ? 1 : 0, level)
    guard result == -1, errno != EINPROGRESS else { return }
    throw SystemError(.connect)
  }

  /// Checks, once the socket is writable, that it is connected.
  public func checkConnection() throws(SystemError) {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    // Holds: both are local variables.
    try descriptor.call(.connect) { unsafe getsockopt($0, SOL_SOCKET, SO_ERROR, &code, &length) }
    guard code == 0 else { throw SystemError(.connect, code: code) }
  }

  /// Reads how safe the link is: the kernel's security level, 1 to 4, and how many bytes the key has that encrypts it.
  /// Without a bond the kernel connects all the same, and begins to pair: then the level is 1. Of a link that has ended
  /// meanwhile the key has no bytes, and the level is the one that was asked for.
  public func security() throws(SystemError) -> (level: UInt8, keyByteCount: UInt8) {
    var (level, count): (UInt8, UInt8) = (0, 0)
    // Holds: both are local variables.
    try descriptor.call(.connect) { unsafe cbluetooth_att_security($0, &level, &count) }
    return (level, count)
  }
}

extension SystemError {

  /// The device did not accept the keys, or lacks them: what a connection ends with for the statuses 0x05, 0x06 and 0x18
  /// (the kernel's bt_to_errno).
  public var isKeyRefusal: Bool { code == EACCES || code == EBADE }

  /// The link was made, and ended before the socket was connected: a status of 0x08, 0x13 to 0x16 or 0x3E (the kernel
  /// has no code for the last one, and says ENOSYS).
  public var isLinkEnd: Bool {
    [ETIMEDOUT, ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE, ENOSYS].contains(code)
  }
}
