// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import JSON
import Manifest

/// A descriptor that finds a device like one that was heard, with what has to be said about it.
struct SuggestionCandidate: Equatable {
  var descriptor = DiscoveryDescriptor()
  /// The layout that was recognised, as its makers call it; nil for a device of unknown layout.
  var layout: String?
  /// Sentences about what the clauses ask for and what they leave out.
  var notes: [String] = []

  /// How much the clauses ask for besides the company or the service.
  var askedBitCount: Int {
    let blobs = [descriptor.manufacturerData, descriptor.serviceData].compactMap { $0?.maskBitCount }
    return blobs.reduce(0, +) + 8 * (descriptor.nameSubstring?.count ?? 0)
  }

  /// A candidate for a recognised layout.
  init(_ layout: String? = nil, company: UInt16? = nil, service: BluetoothUUID? = nil, _ notes: String...) {
    descriptor.companyIdentifier = company
    descriptor.serviceUUID = service
    self.layout = layout
    self.notes = notes
  }

  /// Adds bytes after the key, the company's if there is one. Those at the end that ask for nothing are left out.
  mutating func ask(_ pattern: [BytePattern]) {
    guard let last = pattern.lastIndex(where: { $0.mask != 0 }) else { return }
    let asked = pattern[...last]
    let bytes = MaskedBytes(blob: asked.map { $0.value & $0.mask }, mask: asked.map(\.mask))
    if descriptor.companyIdentifier != nil {
      descriptor.manufacturerData = bytes
    } else {
      descriptor.serviceData = bytes
    }
  }

  /// Adds what the name begins with. Returns whether the source has the name in a view where the other clauses hold;
  /// if not, nothing is added.
  mutating func ask(nameBeginningWith name: [UInt8], of source: SuggestionSource) -> Bool {
    var named = descriptor
    named.nameSubstring = name
    named.nameCompareOptions = .anchored
    guard named.isMet(by: source) else { return false }
    descriptor = named
    return true
  }
}

/// One byte of a blob and the bits of it that count.
struct BytePattern: Equatable, ExpressibleByIntegerLiteral {
  let value: UInt8
  let mask: UInt8

  /// Any byte.
  static let any = BytePattern(0, mask: 0)

  init(_ value: UInt8, mask: UInt8 = 0xFF) {
    self.value = value
    self.mask = mask
  }

  init(integerLiteral value: UInt8) { self.init(value) }
}

extension DiscoveryDescriptor {
  /// Whether the descriptor holds in one of the views that a set had.
  func isMet(by source: SuggestionSource) -> Bool {
    source.views.contains { holds(in: $0, of: source.address) }
  }

  func holds(in view: SuggestionSource.View, of address: DeviceAddress) -> Bool {
    let structures =
      ObservedStructure.all(in: view.data.span.rawBytes, .data)
      + ObservedStructure.all(in: view.response.span.rawBytes, .response)
    let answers = ClauseQuestion.answers(self, structures, of: address)
    return !answers.isEmpty && answers.allSatisfy(\.holds)
  }
}

/// Tells a device's own address from the rest of what it sends.
struct OwnAddress {
  /// As many bytes in a row are no accident.
  private static let bytesMin = 3
  /// As many digits at the end of a name are no accident.
  private static let digitsMin = 4

  private let bytes: [UInt8]
  private let digits: String

  init(_ address: DeviceAddress) {
    bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(40 - 8 * $0)) }
    digits = Hex(bytes).text.uppercased()
  }

  /// The pattern without the bytes that repeat part of the address, in either order.
  func removed(from pattern: [BytePattern]) -> [BytePattern] {
    var result = pattern
    let values = pattern.map(\.value)
    for own in [bytes, bytes.reversed()] {
      for start in 0...(own.count - Self.bytesMin) {
        let part = own[start..<(start + Self.bytesMin)]
        for index in values.indices where values[index...].starts(with: part) {
          for place in index..<(index + part.count) { result[place] = .any }
        }
      }
    }
    return result
  }

  /// A name up to the last digits of the address, which many devices put at its end.
  func removed(from name: [UInt8]) -> [UInt8] {
    let upper = name.map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
    for count in stride(from: digits.utf8.count, through: Self.digitsMin, by: -1) {
      let tail = Array(digits.utf8.suffix(count))
      for start in upper.indices where upper[start...].starts(with: tail) { return Array(name[..<start]) }
    }
    return name
  }
}

extension SuggestionSource {
  private static let nameBytesMin = 3

  /// What the name of every device of this kind begins with: without the device's own address.
  var kindName: [UInt8]? {
    guard let name = name?.text, name.isWellFormed else { return nil }
    let kept = Array(name.bytes.reversed().drop { $0 == 0 }.reversed())
    let kind = OwnAddress(address).removed(from: kept)
    return kind.count >= Self.nameBytesMin ? kind : nil
  }
}
