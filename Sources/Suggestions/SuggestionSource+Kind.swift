// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import HCI
import Interfaces

/// Recognises other units of a device's kind: they send frames of the same structure, and the same company, service or
/// name. An item has to find them, too.
struct DeviceKind {
  /// How sure it is that another device is a unit of the kind.
  /// A ``probable`` unit shares a service that is a maker's, but not the company.
  enum Likeness: Int { case none, possible, probable, certain }

  /// What the names of two devices say; `nothing` when one has no name that lasts, `words` when both may be their
  /// owners' words.
  private enum Naming { case nothing, alike, words, different }

  /// Services that devices of all kinds have: those of the Bluetooth SIG, 1800 to 1AFF.
  private static let generalServices: ClosedRange<UInt32> = 0x1800...0x1AFF

  /// The Bluetooth SIG assigns company identifiers in order, and will not come so far: one above is no company's.
  private static let companyMax: UInt16 = 0x1FFF

  private let fields: [LastingFields]

  init(_ fields: [LastingFields]) { self.fields = fields }

  func likeness(of other: SuggestionSource) -> Likeness {
    fields.map { Self.likeness($0, other) }.max { $0.rawValue < $1.rawValue } ?? .none
  }

  private static func likeness(_ mine: LastingFields, _ other: SuggestionSource) -> Likeness {
    let pairs = mine.source.framesLike(other, mine.trust)
    if pairs.isEmpty { return .none }
    let theirs = LastingFields(other, mine.trust)
    let naming = naming(mine, theirs)
    if naming == .alike { return .certain }
    let keyed = pairs.filter { $0.mine.hasCommonKey(with: $0.theirs, mine.trust) }
    let hasService = mine.services.contains { isOfMaker($0) && theirs.services.contains($0) }
    // Two models, or one by two names: only a person can tell.
    guard naming != .different else { return haveNamesInCommon(mine, theirs) ? .possible : .none }
    guard !keyed.isEmpty || hasService else { return .none }
    // A company that was seen to stay tells makers apart.
    let isOfOtherCompany = mine.companies.contains { company in
      company.key <= companyMax && company.data.payloads.count >= HeardFrame.differentMax
        && theirs.source.data(of: company.key) == nil
    }
    let haveHeaders = (keyed.isEmpty ? pairs : keyed).allSatisfy { $0.mine.hasHeaders(of: $0.theirs) }
    guard naming == .nothing || haveHeaders else { return .possible }
    return !keyed.isEmpty || !isOfOtherCompany ? .certain : .probable
  }

  private static func naming(_ mine: LastingFields, _ theirs: LastingFields) -> Naming {
    let pairs = mine.names.flatMap { name in theirs.names.map { (name, $0) } }
    if pairs.isEmpty { return .nothing }
    if pairs.contains(where: { $0.common(with: $1) != nil }) { return .alike }
    let areWords = pairs.allSatisfy { one, other in
      one.isWhole && other.isWhole && NameBeginning.areWords(one.beginning, other.beginning)
    }
    return areWords ? .words : .different
  }

  /// Whether some names begin with the same letters.
  private static func haveNamesInCommon(_ mine: LastingFields, _ theirs: LastingFields) -> Bool {
    mine.names.contains { name in
      theirs.names.contains {
        zip(name.beginning, $0.beginning).prefix { $0 == $1 }.count > NameBeginning.bytesMin
      }
    }
  }

  static func isOfMaker(_ service: BluetoothUUID) -> Bool {
    service.short.map { !generalServices.contains($0) } ?? true
  }
}

extension SuggestionSource {
  /// Frames of both that have the same structure; of the advertisement, where both have one.
  fileprivate func framesLike(
    _ other: SuggestionSource, _ trust: LastingFields.Trust
  ) -> [(mine: HeardFrame, theirs: HeardFrame)] {
    for part in [PayloadPart.data, .response] {
      let (mine, theirs) = (frames.filter { $0.part == part }, other.frames.filter { $0.part == part })
      if mine.isEmpty || theirs.isEmpty { continue }
      return mine.flatMap { one in
        theirs.filter { one.hasStructure(of: $0, hasCommonKey: one.hasCommonKey(with: $0, trust)) }
          .map { (one, $0) }
      }
    }
    return []
  }
}

extension HeardFrame {
  fileprivate func hasCommonKey(with other: HeardFrame, _ trust: LastingFields.Trust) -> Bool {
    zip(structures, other.structures).contains { pair in
      switch pair {
      case (.manufacturerData(let one), .manufacturerData(let other)):
        one.sharesKey(with: other, or: trust == .turns ? one.doubtful : [])
      case (.serviceData(let one), .serviceData(let other)):
        one.sharesKey(with: other, or: trust == .turns ? one.doubtful : [])
      default: false
      }
    }
  }

  /// Whether the data after each key begin alike, as far as they stay: of a service with the type of the frame.
  fileprivate func hasHeaders(of other: HeardFrame) -> Bool {
    zip(structures, other.structures).allSatisfy { pair in
      switch pair {
      case (.manufacturerData(let one), .manufacturerData(let other)):
        one.sharesHeader(with: other, byteCount: UnknownLayout.headerBytesMax)
      case (.serviceData(let one), .serviceData(let other)): one.sharesHeader(with: other, byteCount: 1)
      default: true
      }
    }
  }

  /// Beside a key that both have, units may have services of their own.
  fileprivate func hasStructure(of other: HeardFrame, hasCommonKey: Bool) -> Bool {
    types == other.types
      && zip(structures, other.structures).allSatisfy { pair in
        switch pair {
        case (.manufacturerData(let one), .manufacturerData(let other)): one.sharesLength(with: other)
        case (.serviceData(let one), .serviceData(let other)):
          (hasCommonKey || one.sharesKey(with: other)) && one.sharesLength(with: other)
        case (.services(let one), .services(let other)): one.common.count == other.common.count
        case (.name, .name): true
        default: false
        }
      }
  }
}

extension HeardKeys {
  /// Whether the other has a key of this one that lasts, or one of `doubtful`.
  fileprivate func sharesKey(with other: HeardKeys, or doubtful: [Value] = []) -> Bool {
    (lasting(lengthsDiffer: false) + doubtful).contains { value in
      other.values.contains { $0.key == value.key }
    }
  }

  fileprivate func sharesHeader(with other: HeardKeys, byteCount: Int) -> Bool {
    values.allSatisfy { value in
      other.values.allSatisfy { other in
        other.key != value.key
          || zip(value.data.all, other.data.all).prefix(byteCount).allSatisfy { one, other in
            one.value == other.value || one.mask & other.mask != 0xFF
          }
      }
    }
  }

  fileprivate func sharesLength(with other: HeardKeys) -> Bool {
    values.contains { value in
      other.values.contains { !$0.data.byteCounts.isDisjoint(with: value.data.byteCounts) }
    }
  }
}
