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
  /// The time when the kernel received the first packet, in microseconds of the wall clock.
  public private(set) var firstStamp: Int64?

  public init() {
    guard let batch = unsafe cbluetooth_batch_create() else {
      preconditionFailure("no memory for a batch of packets")
    }
    unsafe self.batch = batch
  }

  deinit { unsafe cbluetooth_batch_destroy(batch) }

  /// Receives the packets that have arrived. Fewer than ``packetCountMax`` mean that there were no more.
  public mutating func receive(from socket: borrowing AdapterSocket) throws(SystemError) {
    (count, firstStamp) = (0, nil)
    var stamp: Int64 = 0
    // Holds: this value owns the batch, and `stamp` is a local variable.
    let received = unsafe cbluetooth_batch_receive(batch, socket.descriptor.number, &stamp)
    guard received < 0 else {
      count = Int(received)
      if stamp != 0 { firstStamp = stamp }
      return
    }
    let error = SystemError(.receive)
    guard error.code == EAGAIN || error.code == EINTR else { throw error }
  }

  /// Passes the packets to `body` in their order, H4 indicator first.
  public func forEach(_ body: (RawSpan) -> Void) {
    for index in 0..<count {
      var byteCount = 0
      // Holds: the packet lies in the batch, which is not received to meanwhile.
      let bytes = unsafe cbluetooth_batch_packet(batch, Int32(index), &byteCount)
      body(unsafe RawSpan(_unsafeStart: bytes.unsafelyUnwrapped, byteCount: byteCount))
    }
  }
}
