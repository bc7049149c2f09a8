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

  public init(index: UInt16, address: UInt64, isUp: Bool) {
    self.index = index
    self.address = address
    self.isUp = isUp
  }
}

/// A socket to the kernel's Bluetooth (net/bluetooth/hci_sock.c), not blocking.
///
/// What is bound to an adapter is readable packet by packet, H4 indicator first; what is bound to the management
/// channel, message by message.
public struct AdapterSocket: ~Copyable, Sendable {
  public let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Bound to nothing: for questions about adapters.
  public init() throws(SystemError) {
    let number = try retryOnInterrupt(.socket) { cbluetooth_socket() }
    self.init(Descriptor(owning: number))
  }

  /// The adapter's user channel: nobody else has it, and it is not up for others. It must be down (EBUSY) and nobody
  /// else's (EUSERS); needs CAP_NET_ADMIN.
  public static func exclusive(_ index: UInt16) throws(SystemError) -> AdapterSocket {
    let socket = try AdapterSocket()
    let number = socket.descriptor.number
    _ = try retryOnInterrupt(.bind) { cbluetooth_bind_user(number, index) }
    return socket
  }

  /// A copy of the events that the adapter sends, reports among them; without CAP_NET_RAW the kernel leaves those out.
  public static func listening(_ index: UInt16) throws(SystemError) -> AdapterSocket {
    let socket = try AdapterSocket()
    let number = socket.descriptor.number
    _ = try retryOnInterrupt(.bind) { cbluetooth_bind_raw(number, index) }
    return socket
  }

  /// The management interface, of all adapters; without CAP_NET_ADMIN it tells of their coming and going only.
  public static func management() throws(SystemError) -> AdapterSocket {
    let socket = try AdapterSocket()
    let number = socket.descriptor.number
    _ = try retryOnInterrupt(.bind) { cbluetooth_bind_management(number) }
    return socket
  }

  /// Whether rfkill blocks the adapter.
  public static func isBlocked(_ index: UInt16) -> Bool { cbluetooth_is_blocked(index) != 0 }

  /// Tells an adapter from another that has its index later, for as long as the kernel runs; nil when there is none.
  public static func incarnation(_ index: UInt16) -> UInt64? {
    var status = stat()
    // Holds: the path is only read, and `status` is a local variable.
    guard unsafe stat("/sys/class/bluetooth/hci\(index)", &status) == 0 else { return nil }
    return UInt64(status.st_ino)
  }

  /// The adapters of the machine, by their index, at most 16.
  public func adapters() throws(SystemError) -> [AdapterListing] {
    let number = descriptor.number
    var adapters = [cbluetooth_adapter](
      repeating: cbluetooth_adapter(), count: Int(CBLUETOOTH_ADAPTERS_MAX))
    let count = try retryOnInterrupt(.adapterList) {
      // Holds: the call fills at most as many as the array has.
      unsafe adapters.withUnsafeMutableBufferPointer { unsafe cbluetooth_adapters(number, $0.baseAddress) }
    }
    return adapters[..<Int(count)].map {
      AdapterListing(index: $0.index, address: $0.address, isUp: $0.flags & cbluetooth_flag_up != 0)
    }.sorted { $0.index < $1.index }
  }

  /// Takes the adapter up, which may take the kernel seconds. One that is up stays so.
  public func takeUp(_ index: UInt16) throws(SystemError) {
    let number = descriptor.number
    do throws(SystemError) { _ = try retryOnInterrupt(.adapterUp) { cbluetooth_up(number, index) } } catch {
      guard error.code == EALREADY else { throw error }
    }
  }

  public func takeDown(_ index: UInt16) throws(SystemError) {
    let number = descriptor.number
    _ = try retryOnInterrupt(.adapterDown) { cbluetooth_down(number, index) }
  }

  /// Has the kernel empty its queues and send the command Reset.
  public func reset(_ index: UInt16) throws(SystemError) {
    let number = descriptor.number
    _ = try retryOnInterrupt(.adapterReset) { cbluetooth_reset(number, index) }
  }

  /// Room for so many bytes of what was not read yet, as the kernel counts them: answers what it gave.
  public func makeReceiveRoom(_ byteCount: Int) throws(SystemError) -> Int {
    let number = descriptor.number
    return Int(try retryOnInterrupt(.receiveRoom) { cbluetooth_receive_room(number, Int32(byteCount)) })
  }

  /// How many packets were dropped for want of room since the socket was made, modulo 2^32; nil where the kernel does
  /// not say.
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
  /// There is no such adapter, or there is no more.
  public var isWithoutAdapter: Bool { code == ENODEV || code == EPIPE || code == ENXIO }
  /// The adapter is up, or somebody else's.
  public var isTaken: Bool { code == EBUSY || code == EUSERS || code == EALREADY }
  /// The radio is blocked (rfkill).
  public var isBlocked: Bool { code == ERFKILL }
}
