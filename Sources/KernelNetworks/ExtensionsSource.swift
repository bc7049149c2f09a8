// SPDX-License-Identifier: GPL-3.0-or-later

import CWireless
import Glibc
import HCI
public import LinuxSystem
public import Wireless

/// Networks by wireless extensions, with libiw. It needs no socket of a network's family.
public final class ExtensionsSource: WirelessSource {
  private let socket: Int32
  private var buffer = [UInt8](
    repeating: 0, count: Int(CWIRELESS_RESULTS_BYTES_MAX + CWIRELESS_PADDING_BYTES))
  /// The version of the extensions, which the kernel was built with.
  private var version: Int32?

  public init() throws(SystemError) {
    socket = cwireless_socket()
    guard socket >= 0 else { throw SystemError(.socket, code: errno) }
  }

  deinit { close(socket) }

  public func readNetworks(of interface: String) throws(WirelessError) -> NetworkReading {
    let version = try versionOfExtensions(interface)
    // Holds: the call writes at most as many bytes as the array has.
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe cwireless_read_results(socket, interface, $0.baseAddress)
    }
    guard count >= 0 else {
      let error = SystemError(.wirelessResults, code: errno)
      if error.isNotYet { return NetworkReading(.extensions, nil) }
      throw Self.error(error, interface)
    }
    let byteCount = min(count, Int(CWIRELESS_RESULTS_BYTES_MAX))
    var list = Self.networks(inPadded: buffer, byteCount: byteCount, version: version)
    var address = [UInt8](repeating: 0, count: 6)
    // Holds: the call writes the six bytes that the array has.
    let isAssociated = unsafe address.withUnsafeMutableBufferPointer {
      unsafe cwireless_access_point(socket, interface, $0.baseAddress) == 1
    }
    list.isAssociated = isAssociated
    list.accessPoint = isAssociated ? BSSID(address.span.rawBytes) : nil
    return NetworkReading(.extensions, list)
  }

  public func startScan(on interface: String) throws(WirelessError) -> ScanStart {
    // Holds: the name is only read.
    guard unsafe cwireless_start_scan(socket, interface) < 0 else { return .started(.extensions) }
    let error = SystemError(.wirelessStart, code: errno)
    if error.isBusy { return .busy(.extensions) }
    // An interface with extensions may refuse scans too, as one that is no station.
    // Holds: the name is only read.
    if error.isNotSupported, unsafe cwireless_probe(socket, interface) == 0 {
      throw .system(call: error.call.rawValue, reason: error.reason)
    }
    throw Self.error(error, interface)
  }

  /// The kernel reports scans only to sockets of AF_NETLINK.
  public func takeNews(of interface: String) -> ScanNews? { nil }

  private func versionOfExtensions(_ interface: String) throws(WirelessError) -> Int32 {
    // Holds, here and below: the name is only read.
    guard unsafe cwireless_probe(socket, interface) == 0 else {
      throw Self.error(SystemError(.wirelessName, code: errno), interface)
    }
    if let version { return version }
    let found = unsafe cwireless_version(socket, interface)
    guard found >= 0 else { throw Self.error(SystemError(.wirelessRange, code: errno), interface) }
    version = found
    return found
  }

  private static func error(_ error: SystemError, _ interface: String) -> WirelessError {
    if error.isWithoutInterface { return .interfaceMissing }
    if error.isInterfaceDown { return .interfaceDown }
    if error.isLongerThanItsLength { return .lacking(.room) }
    if error.isNotSupported {
      // A kernel that was built without extensions says the same of every name.
      guard (try? NetworkInterface(named: interface)) != nil else { return .interfaceMissing }
      return NetworkInterface.isWireless(interface) ? .lacking(.extensions) : .notWireless
    }
    if error.isPermission { return .rightMissing }
    return .system(call: error.call.rawValue, reason: error.reason)
  }

  /// Reads the events of a scan's results.
  public static func networks(in stream: [UInt8], version: Int32) -> NetworkList {
    let padding = [UInt8](repeating: 0, count: Int(CWIRELESS_PADDING_BYTES))
    return networks(inPadded: stream + padding, byteCount: stream.count, version: version)
  }

  /// Reads the first `byteCount` of the bytes, after which there is room for what libiw reads beyond them.
  private static func networks(inPadded bytes: [UInt8], byteCount: Int, version: Int32) -> NetworkList {
    precondition(bytes.count >= byteCount + Int(CWIRELESS_PADDING_BYTES))
    var reading = ExtensionsReading()
    var position = cwireless_position()
    var event = cwireless_event()
    while true {
      let before = (position.offset, position.value)
      // Holds: the stream is the array's own for as long as the call, which only reads it; the others are local variables.
      unsafe bytes.withUnsafeBytes {
        unsafe cwireless_next_event($0.baseAddress, byteCount, version, &position, &event)
      }
      guard event.kind != CWIRELESS_END else { return reading.finish() }
      receive(event, of: bytes, &reading)
      // An event without a length would be read for ever.
      guard before != (position.offset, position.value) else { return reading.finish() }
    }
  }

  private static func receive(_ event: cwireless_event, of bytes: [UInt8], _ reading: inout ExtensionsReading)
  {
    // Holds: the shim has checked that the event's bytes lie in the stream.
    let value = Array(bytes[event.offset..<event.offset + event.count])
    switch event.kind {
    case CWIRELESS_ADDRESS:
      let address = [
        event.address.0, event.address.1, event.address.2, event.address.3, event.address.4, event.address.5,
      ]
      reading.receive(address: address.span.rawBytes)
    case CWIRELESS_NAME: reading.receive(name: value.span.rawBytes)
    case CWIRELESS_FREQUENCY: reading.receive(mantissa: event.mantissa, exponent: event.exponent)
    case CWIRELESS_QUALITY: if event.has_level != 0 { reading.receive(signal: event.level) }
    case CWIRELESS_ENCODING: reading.receive(encoding: event.flags)
    case CWIRELESS_ELEMENTS: reading.receive(elements: value.span.rawBytes)
    case CWIRELESS_TEXT: reading.receive(text: value.span.rawBytes)
    case CWIRELESS_MALFORMED: reading.countMalformed()
    default: break
    }
  }
}
