// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import KernelNetworks
import TestSupport
import Wireless

/// Reads information elements, at once and in two pieces of whole elements: the same.
func fuzzElements(_ bytes: RawSpan) {
  let elements = InformationElements(bytes)
  precondition(elements.name == nil || !elements.isNameTooLong, "a name that is there and too long")
  guard let length = bytes.byteCount >= 2 ? Int(bytes.uint8(at: 1)) + 2 : nil, length <= bytes.byteCount
  else {
    return
  }
  var pieces = InformationElements()
  pieces.append(bytes.slice(at: 0, count: length))
  pieces.append(bytes.slice(at: length, count: bytes.byteCount - length))
  precondition(pieces == elements, "pieces and the whole differ")
}

/// Reads a datagram of generic netlink: no more messages than it has room for, and each network once.
func fuzzNetlink(_ bytes: RawSpan) {
  var reader = NetlinkMessages(bytes)
  var count = 0
  while let message = reader.next() {
    count += 1
    if case .network(let network?, _) = ScanMessage(message, family: 0x1C) {
      precondition(network.name.byteCount <= NetworkName.byteCountMax)
      precondition(network.lastSeen.microseconds <= 0, "a network that is seen in the future")
    }
  }
  precondition(count <= bytes.byteCount / 16, "more messages than there is room for")
}

/// Gives a scan's events to their reader: a byte with the kind, one with the length, then the value.
func fuzzExtensions(_ bytes: RawSpan) {
  var reading = ExtensionsReading()
  var cursor = ByteCursor(bytes)
  while let kind = cursor.uint8(), let length = cursor.uint8() {
    guard let value = cursor.bytes(min(Int(length), cursor.byteCount)) else { break }
    switch kind % 5 {
    case 0: reading.receive(address: value)
    case 1: reading.receive(name: value)
    case 2: reading.receive(elements: value)
    case 3: reading.receive(text: value)
    default:
      guard value.byteCount >= 6 else { break }
      reading.receive(
        mantissa: Int32(bitPattern: value.uint32(at: 0)), exponent: Int16(bitPattern: value.uint16(at: 4)))
    }
  }
  let list = reading.finish()
  precondition(list.networks.count <= bytes.byteCount / 8, "more networks than addresses")
  precondition(list.networks.allSatisfy { $0.lastSeen.microseconds <= 0 })
}

var extensionsSeeds: [[UInt8]] {
  let age = Array(" Last beacon: 1500ms ago".utf8)
  let elements = NetworkElements.wpa2.bytes
  return [
    [0, 6, 2, 0x42, 0, 0, 0, 1, 1, 3, 0x61, 0, 0x62, 2, UInt8(elements.count)] + elements + [
      3, UInt8(age.count),
    ] + age
      + [4, 6, 0x85, 9, 0, 0, 6, 0]
  ]
}

/// Gives the results of a scan to libiw: a byte with the version of the extensions, then the stream of events.
func fuzzResults(_ bytes: RawSpan) {
  guard bytes.byteCount > 0 else { return }
  let stream = (1..<bytes.byteCount).map { bytes.uint8(at: $0) }
  let list = ExtensionsSource.networks(in: stream, version: Int32(bytes.uint8(at: 0)))
  precondition(list.networks.count <= stream.count / 16, "more networks than there is room for")
}

/// Versions before and after 19, with which the layout of events changed.
var resultsSeeds: [[UInt8]] { [22, 18].map { [$0] + WirelessResults.stream } }
