// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
import HCI
import Interfaces
import JSON
import Manifest

/// A descriptor that finds a device like one that was heard, with what has to be said about it.
struct SuggestionCandidate: Equatable {
  var descriptor = DiscoveryDescriptor()
  /// The layout that was recognised, as its makers call it; nil for a device of unknown layout.
  var layout: String?
  /// Whether the layout names nothing but a service, whose data are the device's own.
  var isUndocumented = false
  /// Whether every unit in sight that sends the service has to have the layout, because so little of it is fixed that other data may look like it.
  var needsUnits = false
  /// Sentences about what the clauses ask for and what they leave out.
  var notes: [String] = []
  /// How much of it may be a reading after all.
  var doubts = 0

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

  /// Leaves out what repeats the device's own address.
  mutating func leaveOut(_ own: OwnAddress) {
    descriptor.manufacturerData = descriptor.manufacturerData.flatMap { $0.leavingOut(own) }
    descriptor.serviceData = descriptor.serviceData.flatMap { $0.leavingOut(own) }
  }

  /// Adds a field after other bytes, without those of its own that changed, and a sentence about it. `bits` are those of each
  /// byte that count; `meaning` is what the whole field says, and `rest` what else of the frame is left out.
  mutating func ask(
    _ field: [BytePattern], after before: [BytePattern] = [], bits: UInt8 = 0xFF, called name: String,
    saying meaning: String = "", leavingOut rest: String
  ) {
    let kept = field.map { $0.mask & bits == bits ? $0.masked(bits) : .any }
    ask(before + kept)
    let hasType = before.contains { $0.mask != 0 }
    let type = hasType ? "the type of the frame and " : ""
    let key = descriptor.companyIdentifier == nil ? "the service" : "the company"
    let asked =
      if !kept.isEmpty, !kept.contains(.any) {
        "\(type)\(name)\(meaning)"
      } else if kept.contains(where: { $0 != .any }) {
        "\(type)the bytes of \(name) that stay the same"
      } else {
        "\(hasType ? "the type of the frame" : key) alone, because \(name) does not stay the same"
      }
    notes.append("The item asks for \(asked); \(rest) are left out.")
  }

  /// Adds what the name begins with. Returns whether the source has the name in a view where the other clauses hold;
  /// if not, nothing is added.
  @discardableResult
  mutating func ask(nameBeginningWith name: [UInt8], of source: SuggestionSource) -> Bool {
    var named = descriptor
    named.nameSubstring = name
    named.nameCompareOptions = .anchored
    guard named.isMet(by: source) else { return false }
    descriptor = named
    return true
  }

  /// Whether the item holds only together with a scan response.
  func needsScanResponse(of source: SuggestionSource) -> Bool {
    !source.hasView { descriptor.holds(in: ($0.data, []), of: source.address) }
  }
}

extension MaskedBytes {
  /// Nil when nothing is left.
  fileprivate func leavingOut(_ own: OwnAddress) -> MaskedBytes? {
    let kept = own.removed(from: zip(blob, mask).map { BytePattern($0, mask: $1) })
    guard let last = kept.lastIndex(where: { $0.mask != 0 }) else { return nil }
    return MaskedBytes(blob: kept[...last].map { $0.value & $0.mask }, mask: kept[...last].map(\.mask))
  }
}

extension DiscoveryDescriptor {
  /// Whether the descriptor holds in one of the views that a set had.
  func isMet(by source: SuggestionSource) -> Bool {
    source.hasView { holds(in: ($0.data, $0.response), of: source.address) }
  }
}
