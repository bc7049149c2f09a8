// SPDX-License-Identifier: GPL-3.0-or-later

import CBluetooth
import Glibc

/// An adapter as the kernel lists it.
public struct AdapterListing: Equatable, Sendable {
  /// `hci0` has 0.
  public let index: UInt16
  /// The public address in the low 48 bits; 0 while the kernel does not know it.
  public let address: UInt64
  public let isUp: Bool
  /// The kernel reaches it over USB.
  public let isUSB: Bool
}

/// A socket to the kernel's Bluetooth (net/bluetooth/hci_sock.c), not blocking.
///
/// A socket that is bound to an adapter is read packet by packet, H4 indicator first; one that is bound to the
/// management channel is read message by message.
public struct AdapterSocket: ~Copyable, Sendable {
  public let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Opens a socket that is bound to nothing, for requests about adapters.
  public init() throws(SystemError) {
    self.init(Descriptor(owning: try retryOnInterrupt(.socket) { cbluetooth_socket() }))
  }

  /// Opens the adapter's user channel, which no other program can use then. The adapter must be down (else EBUSY) and
  /// its user channel free (else EUSERS); needs CAP_NET_ADMIN.
  public static func exclusive(_ index: UInt16) throws(SystemError) -> AdapterSocket {
    try bound { cbluetooth_bind_user($0, index) }
  }

  /// Opens a socket that receives a copy of the adapter's events; without CAP_NET_RAW the kernel omits the advertising
  /// reports.
  public static func listening(_ index: UInt16) throws(SystemError) -> AdapterSocket {
    try bound { cbluetooth_bind_raw($0, index) }
  }

  /// Opens the management interface of all adapters; without CAP_NET_ADMIN it only reports which are added and removed.
  public static func mgmt() throws(SystemError) -> AdapterSocket { try bound { cbluetooth_bind_mgmt($0) } }

  private static func bound(_ bind: (Int32) -> Int32) throws(SystemError) -> AdapterSocket {
    let socket = try AdapterSocket()
    try socket.descriptor.call(.bind, bind)
    return socket
  }

  /// Whether rfkill blocks the adapter.
  public static func isBlocked(_ index: UInt16) -> Bool { cbluetooth_is_blocked(index) != 0 }

  /// Returns a number that differs from that of any other adapter with this index, until the next boot; nil if there is
  /// no such adapter.
  public static func incarnation(_ index: UInt16) -> UInt64? {
    var status = stat()
    // Holds: the path is only read, and `status` is a local variable.
    guard unsafe stat("/sys/class/bluetooth/hci\(index)", &status) == 0 else { return nil }
    return UInt64(status.st_ino)
  }

  /// The adapters of the machine, by their index, at most 16.
  public func adapters() throws(SystemError) -> [AdapterListing] {
    var adapters = [cbluetooth_adapter](
      repeating: cbluetooth_adapter(), count: Int(CBLUETOOTH_ADAPTERS_MAX))
    let count = try descriptor.call(.adapterList) { number in
      // Holds: the call fills at most as many as the array has.
      unsafe adapters.withUnsafeMutableBufferPointer { unsafe cbluetooth_adapters(number, $0.baseAddress) }
    }
    return adapters[..<Int(count)].map {
      AdapterListing(
        index: $0.index, address: $0.address, isUp: $0.flags & cbluetooth_flag_up != 0,
        isUSB: $0.bus == cbluetooth_bus_usb)
    }.sorted { $0.index < $1.index }
  }

  /// Takes the adapter up, which may take the kernel seconds. Does nothing if it is up.
  public func takeUp(_ index: UInt16) throws(SystemError) {
    do throws(SystemError) { try descriptor.call(.adapterUp) { cbluetooth_up($0, index) } } catch {
      guard error.code == EALREADY else { throw error }
    }
  }

  public func takeDown(_ index: UInt16) throws(SystemError) {
    try descriptor.call(.adapterDown) { cbluetooth_down($0, index) }
  }

  /// Makes the kernel empty its queues and send the command Reset.
  public func reset(_ index: UInt16) throws(SystemError) {
    try descriptor.call(.adapterReset) { cbluetooth_reset($0, index) }
  }

  /// Sets the size of the receive buffer, as the kernel counts bytes. Returns the size that the kernel granted.
  public func setReceiveBuffer(_ byteCount: Int) throws(SystemError) -> Int {
    Int(try descriptor.call(.receiveBuffer) { cbluetooth_receive_buffer($0, Int32(byteCount)) })
  }

  /// Lets the kernel drop what a program does not pass, whose instructions are those of `cbluetooth_set_filter`; without any,
  /// nothing more.
  public func setFilter(_ instructions: [UInt64]) throws(SystemError) {
    try descriptor.call(.filter) { number in
      // Holds: the call reads as many as the array has.
      unsafe instructions.withUnsafeBufferPointer {
        unsafe cbluetooth_set_filter(number, $0.baseAddress, UInt16(clamping: $0.count))
      }
    }
  }

  /// How many packets the kernel dropped because the receive buffer was full, modulo 2^32; nil if it does not report
  /// that.
  public var dropCount: UInt32? {
    var count: UInt32 = 0
    // Holds: `count` is a local variable.
    guard unsafe cbluetooth_drops(descriptor.number, &count) == 0 else { return nil }
    return count
  }
}

extension SystemError {
  /// The kernel has no Bluetooth.
  public var isWithoutBluetooth: Bool { code == EAFNOSUPPORT || code == EPROTONOSUPPORT }
  /// There is no such adapter, or it was removed.
  public var isWithoutAdapter: Bool { code == ENODEV || code == EPIPE || code == ENXIO }
  /// The adapter is up, or another program uses it exclusively.
  public var isTaken: Bool { code == EBUSY || code == EUSERS || code == EALREADY }
  /// A filter is longer than `optmem_max` lets it be.
  public var isFilterTooLong: Bool { code == ENOMEM }
  /// The radio is blocked (rfkill).
  public var isBlocked: Bool { code == ERFKILL }
}

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
