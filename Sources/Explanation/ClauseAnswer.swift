// SPDX-License-Identifier: GPL-3.0-or-later

public import DeviceLines
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
  public let comparisons: [Comparison]
  /// Where each clause holds in some frame, and all of them in none: a frame in which this one holds, counted from the
  /// oldest, which is 1.
  public internal(set) var frame: Int?
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
}

/// A payload beside a blob, both under its mask.
public struct MaskedComparison: Equatable, Sendable {
  /// As many bytes of the payload as the blob has, or all when it is shorter.
  public let found: [UInt8]
  public let wanted: [UInt8]
  /// The first byte that differs under the mask; for a payload that is too short, its length.
  public let firstDifference: Int?

  init(_ payload: [UInt8], _ clause: MaskedBytes) {
    found = zip(payload, clause.mask).map { $0 & $1 }
    wanted = zip(clause.blob, clause.mask).map { $0 & $1 }
    let difference = zip(found, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    firstDifference = difference ?? (found.count < wanted.count ? found.count : nil)
  }

  public var isTooShort: Bool { found.count < wanted.count }
  public var holds: Bool { firstDifference == nil }
}
