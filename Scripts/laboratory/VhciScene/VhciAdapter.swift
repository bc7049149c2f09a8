// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// An adapter of the kernel's, behind /dev/vhci (Linux, drivers/bluetooth/hci_vhci.c): what is written there the
/// controller says, what is read the host says, a packet at a time with its H4 indicator. It is gone when this is.
final class VhciAdapter {
  struct Failure: Error {
    let call: String
    let code: Int32
  }

  let descriptor: Int32
  /// N in "hciN".
  let index: UInt16
  private var buffer = [UInt8](repeating: 0, count: 4096)

  /// The kernel makes the adapter when it is asked with a vendor packet, and answers with its index.
  init() throws(Failure) {
    // Holds: the call only reads the path.
    descriptor = unsafe open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(call: "open /dev/vhci", code: errno) }
    // Without an adapter this program ends.
    try Self.write(descriptor, [0xFF, 0x00])
    let answer = try Self.read(descriptor, into: &buffer) ?? []
    guard answer.count == 4, answer[0] == 0xFF else {
      throw Failure(call: "the answer of /dev/vhci", code: EPROTO)
    }
    index = UInt16(answer[2]) | UInt16(answer[3]) << 8
  }

  deinit { close(descriptor) }

  /// The host's next packet, nil when there is none.
  func read() throws(Failure) -> [UInt8]? { try Self.read(descriptor, into: &buffer) }

  func write(_ packet: [UInt8]) throws(Failure) { try Self.write(descriptor, packet) }

  private static func read(_ descriptor: Int32, into buffer: inout [UInt8]) throws(Failure) -> [UInt8]? {
    // Holds: the call fills at most the array.
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    if count > 0 { return Array(buffer[..<count]) }
    guard count == 0 || errno == EAGAIN || errno == EINTR else { throw Failure(call: "read", code: errno) }
    return nil
  }

  /// The kernel never refuses for want of room; what an adapter says that is down (ENXIO), nobody hears.
  private static func write(_ descriptor: Int32, _ packet: [UInt8]) throws(Failure) {
    // Holds: the call only reads the array.
    let count = unsafe packet.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count == packet.count || errno == ENXIO else { throw Failure(call: "write", code: errno) }
  }
}
