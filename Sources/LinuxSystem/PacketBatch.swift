// SPDX-License-Identifier: GPL-3.0-or-later

import CBluetooth
import Glibc

/// Packets that were received from an adapter with one system call, in memory that is used again.
@safe public struct PacketBatch: ~Copyable {
  /// So many packets at once.
  public static let packetCountMax = Int(CBLUETOOTH_BATCH_MAX)

  // Holds: it is made and freed here, and never handed out.
  private let batch: OpaquePointer
  public private(set) var count = 0
  /// When the kernel received the first of them, in microseconds of the wall clock.
  public private(set) var firstStamp: Int64?

  public init() {
    guard let batch = unsafe cbluetooth_batch_create() else {
      preconditionFailure("there is memory for packets")
    }
    unsafe self.batch = batch
  }

  deinit { unsafe cbluetooth_batch_destroy(batch) }

  /// Receives what is there. Fewer than ``packetCountMax`` packets mean that there was no more.
  public mutating func receive(from socket: borrowing AdapterSocket) throws(SystemError) {
    (count, firstStamp) = (0, nil)
    var stamp: Int64 = 0
    // Holds: the batch is ours, and `stamp` a local variable.
    let received = unsafe cbluetooth_batch_receive(batch, socket.descriptor.number, &stamp)
    guard received < 0 else {
      count = Int(received)
      if stamp != 0 { firstStamp = stamp }
      return
    }
    let error = SystemError(.receive)
    guard error.code == EAGAIN || error.code == EINTR else { throw error }
  }

  /// Hands over the packets in their order, H4 indicator first.
  public func forEach(_ body: (RawSpan) -> Void) {
    for place in 0..<count {
      var byteCount = 0
      // Holds: the packet lies in the batch, which is not received to meanwhile.
      let bytes = unsafe cbluetooth_batch_packet(batch, Int32(place), &byteCount)
      body(unsafe RawSpan(_unsafeStart: bytes.unsafelyUnwrapped, byteCount: byteCount))
    }
  }
}
