// SPDX-License-Identifier: GPL-3.0-or-later

import CBluetooth
import Glibc

/// Packets received from an adapter with one system call, in memory that is reused.
@safe public struct PacketBatch: ~Copyable {
  /// The most packets per call.
  public static let packetCountMax = Int(CBLUETOOTH_BATCH_MAX)

  // Holds: it is made and freed here, and never handed out.
  private let batch: OpaquePointer
  public private(set) var count = 0

  public init() {
    guard let batch = unsafe cbluetooth_batch_create() else {
      preconditionFailure("no memory for a batch of packets")
    }
    unsafe self.batch = batch
  }

  deinit { unsafe cbluetooth_batch_destroy(batch) }

  /// Receives the packets that have arrived, the first `stamped` of them with their times. Fewer than ``packetCountMax`` mean
  /// that there were no more.
  public mutating func receive(from socket: borrowing AdapterSocket, stamped: Int) throws(SystemError) {
    count = 0
    // Holds: this value owns the batch.
    let received = unsafe cbluetooth_batch_receive(batch, socket.descriptor.number, Int32(stamped))
    guard received < 0 else { return count = Int(received) }
    let error = SystemError(.receive)
    guard error.code == EAGAIN || error.code == EINTR else { throw error }
  }

  /// Passes the packets to `body` in their order, H4 indicator first, each with the time when the kernel received it, in
  /// microseconds of the wall clock, if that is known.
  public func forEach(_ body: (RawSpan, Int64?) -> Void) {
    for index in 0..<count {
      var byteCount = 0
      // Holds: the packet lies in the batch, which is not received to meanwhile.
      let bytes = unsafe cbluetooth_batch_packet(batch, Int32(index), &byteCount)
      let stamp = unsafe cbluetooth_batch_stamp(batch, Int32(index))
      body(
        unsafe RawSpan(_unsafeStart: bytes.unsafelyUnwrapped, byteCount: byteCount), stamp == 0 ? nil : stamp)
    }
  }
}
