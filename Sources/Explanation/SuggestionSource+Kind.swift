// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces

/// Recognises other units of a device's kind: they send frames of the same structure, and the same company, service or
/// name. An item has to find them, too.
struct DeviceKind {
  /// Services that devices of all kinds have: those of the Bluetooth SIG, 1800 to 1AFF.
  private static let generalServices: ClosedRange<UInt32> = 0x1800...0x1AFF

  private let fields: [LastingFields]

  init(_ fields: [LastingFields]) { self.fields = fields }

  func covers(_ other: SuggestionSource) -> Bool {
    fields.contains { mine in
      guard let frames = mine.source.framesLike(other) else { return false }
      let theirs = LastingFields(other)
      let isNamedAlike = Self.isNamedAlike(mine, theirs)
      if isNamedAlike == false { return false }
      return Self.haveCommonKey(frames.mine, frames.theirs) || isNamedAlike == true
        || Self.haveCommonService(mine, theirs, frames.theirs)
    }
  }

  /// Nil when one of them has no name that lasts.
  private static func isNamedAlike(_ mine: LastingFields, _ theirs: LastingFields) -> Bool? {
    guard !mine.names.isEmpty, !theirs.names.isEmpty else { return nil }
    return mine.names.contains { name in
      theirs.names.contains { NameBeginning.common(name.beginning, $0.beginning) != nil }
    }
  }

  private static func haveCommonKey(_ mine: HeardFrame, _ theirs: HeardFrame) -> Bool {
    zip(mine.structures, theirs.structures).contains { pair in
      switch pair {
      case (.manufacturerData(let one), .manufacturerData(let other)): one.sharesKey(with: other)
      case (.serviceData(let one), .serviceData(let other)): one.sharesKey(with: other)
      default: false
      }
    }
  }

  /// Whether a list names a service of their makers, and no company tells them apart that was seen to stay.
  private static func haveCommonService(
    _ mine: LastingFields, _ theirs: LastingFields, _ frame: HeardFrame
  ) -> Bool {
    let isOfOtherCompany = mine.companies.contains { company in
      company.data.payloads.count >= HeardFrame.differentMax && theirs.source.data(of: company.key) == nil
    }
    return !isOfOtherCompany
      && mine.services.contains { isOfMaker($0) && theirs.services.contains($0) }
  }

  static func isOfMaker(_ service: BluetoothUUID) -> Bool {
    service.short.map { !generalServices.contains($0) } ?? true
  }
}

extension SuggestionSource {
  /// A frame of each that have the same structure; of the advertisement, where both have one.
  fileprivate func framesLike(_ other: SuggestionSource) -> (mine: HeardFrame, theirs: HeardFrame)? {
    for part in [PayloadPart.data, .response] {
      let (mine, theirs) = (frames.filter { $0.part == part }, other.frames.filter { $0.part == part })
      if mine.isEmpty || theirs.isEmpty { continue }
      for one in mine {
        for two in theirs where one.hasStructure(of: two) { return (one, two) }
      }
      return nil
    }
    return nil
  }
}

extension HeardFrame {
  fileprivate func hasStructure(of other: HeardFrame) -> Bool {
    types == other.types
      && zip(structures, other.structures).allSatisfy { pair in
        switch pair {
        case (.manufacturerData(let one), .manufacturerData(let other)): one.sharesLength(with: other)
        case (.serviceData(let one), .serviceData(let other)):
          one.sharesKey(with: other) && one.sharesLength(with: other)
        case (.services(let one), .services(let other)): one.count == other.count
        case (.name, .name): true
        default: false
        }
      }
  }
}

extension HeardKeys {
  fileprivate func sharesKey(with other: HeardKeys) -> Bool {
    lasting(lengthsDiffer: false).contains { value in other.values.contains { $0.key == value.key } }
  }

  fileprivate func sharesLength(with other: HeardKeys) -> Bool {
    values.contains { value in
      other.values.contains { !$0.data.byteCounts.isDisjoint(with: value.data.byteCounts) }
    }
  }
}
