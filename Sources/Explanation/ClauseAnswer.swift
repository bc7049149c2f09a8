// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
public import Manifest

/// Whether one clause of a descriptor holds, with everything it was compared with.
public struct ClauseAnswer: Equatable, Sendable {
  /// What a clause asks for, and what it is compared with.
  public enum Value: Equatable, Sendable {
    case company(UInt16)
    case uuid(BluetoothUUID)
    case bytes([UInt8])
    case name(AirText)
    case address(AddressPrefix)
  }

  /// One structure that the clause looked at.
  public struct Comparison: Equatable, Sendable {
    public let part: PayloadPart
    /// The index of the structure's length byte in its payload.
    public let offset: Int
    public let type: UInt8
    public let value: Value
    /// For blobs: both sides under the mask.
    public let masked: MaskedComparison?
    public let holds: Bool
  }

  /// The clause's key in the manifest.
  public let key: DescriptorKey
  public let wanted: Value
  /// For blobs: which bits are compared.
  public let mask: [UInt8]?
  /// For names: how they are compared.
  public let options: CompareOptions
  /// Empty when the device advertises nothing that the clause could look at.
  public private(set) var comparisons: [Comparison]
  /// Where each clause holds in some frame, and all of them in none: a frame in which this one holds, counted from the
  /// oldest, which is 1.
  public internal(set) var frame: Int?
  /// Further ones that were left out.
  public private(set) var omittedCount = 0
  /// For addresses, which no structure carries: whether the device's begins so.
  private let isAddressRight: Bool

  /// One structure is enough.
  public var holds: Bool { isAddressRight || comparisons.contains(where: \.holds) }

  init(
    _ key: DescriptorKey, wanted: Value, mask: [UInt8]? = nil, options: CompareOptions = [],
    _ comparisons: [Comparison]
  ) {
    self.key = key
    self.wanted = wanted
    self.mask = mask
    self.options = options
    self.comparisons = comparisons
    isAddressRight = false
  }

  init(_ prefix: AddressPrefix, holds: Bool) {
    key = .addressPrefix
    wanted = .address(prefix)
    mask = nil
    options = []
    comparisons = []
    isAddressRight = holds
  }

  /// Keeps at most `countMax` comparisons, one or more: the first ones, and one that holds if there is any.
  func limited(toComparisons countMax: Int) -> Self {
    guard comparisons.count > countMax else { return self }
    var limited = self
    let kept = comparisons.prefix(countMax)
    let holding = comparisons.first(where: \.holds)
    limited.comparisons =
      kept.contains(where: \.holds) ? Array(kept) : kept.dropLast() + [holding ?? kept[countMax - 1]]
    limited.omittedCount = comparisons.count - countMax
    return limited
  }
}

/// A payload beside a blob, both under its mask.
public struct MaskedComparison: Equatable, Sendable {
  /// As many bytes of the payload as the blob has, or all when it is shorter.
  public let found: [UInt8]
  public let wanted: [UInt8]
  /// The first byte that differs under the mask; for a payload that is too short, its length.
  public let firstDifference: Int?

  init(_ payload: [UInt8], _ clause: MaskedBytes) {
    self.init(
      masked: zip(payload, clause.mask).map { $0 & $1 }, wanted: zip(clause.blob, clause.mask).map { $0 & $1 }
    )
  }

  /// Nil when more was found than wanted, which no comparison looks at.
  init?(found: [UInt8], wanted: [UInt8]) {
    guard found.count <= wanted.count else { return nil }
    self.init(masked: found, wanted: wanted)
  }

  private init(masked found: [UInt8], wanted: [UInt8]) {
    self.found = found
    self.wanted = wanted
    let difference = zip(found, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    firstDifference = difference ?? (found.count < wanted.count ? found.count : nil)
  }

  public var isTooShort: Bool { found.count < wanted.count }
  public var holds: Bool { firstDifference == nil }
}
