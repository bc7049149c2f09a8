// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// A kernel adapter whose controller is this program, at /dev/vhci (Linux, drivers/bluetooth/hci_vhci.c): a write is a
/// packet from the controller, a read one from the host, each with its H4 indicator. Closing the file removes the
/// adapter.
final class VhciAdapter {
  struct CallError: Error {
    let call: String
    let code: Int32
  }

  let descriptor: Int32
  /// N in "hciN".
  let index: UInt16
  private var buffer = [UInt8](repeating: 0, count: 4096)

  /// Asks the kernel for an adapter with a vendor packet, which it answers with the adapter's index.
  init() throws(CallError) {
    // Holds: the call only reads the path.
    descriptor = unsafe open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw CallError(call: "open /dev/vhci", code: errno) }
    // When this fails, the program ends, which closes the descriptor.
    try Self.write(descriptor, [0xFF, 0x00])
    let answer = try Self.read(descriptor, into: &buffer) ?? []
    guard answer.count == 4, answer[0] == 0xFF else {
      throw CallError(call: "the answer of /dev/vhci", code: EPROTO)
    }
    index = UInt16(answer[2]) | UInt16(answer[3]) << 8
  }

  deinit { close(descriptor) }

  /// The host's next packet, nil when there is none.
  func read() throws(CallError) -> [UInt8]? { try Self.read(descriptor, into: &buffer) }

  func write(_ packet: [UInt8]) throws(CallError) { try Self.write(descriptor, packet) }

  private static func read(_ descriptor: Int32, into buffer: inout [UInt8]) throws(CallError) -> [UInt8]? {
    // Holds: the call fills at most the array.
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    if count > 0 { return Array(buffer[..<count]) }
    guard count == 0 || errno == EAGAIN || errno == EINTR else { throw CallError(call: "read", code: errno) }
    return nil
  }

  /// The kernel never refuses a packet for lack of memory. It drops the packets of an adapter that is down (ENXIO).
  private static func write(_ descriptor: Int32, _ packet: [UInt8]) throws(CallError) {
    // Holds: the call only reads the array.
    let count = unsafe packet.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count == packet.count || errno == ENXIO else { throw CallError(call: "write", code: errno) }
  }
}
