// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Bytes in a matcher's own byte table.
public struct StoredBytes: Equatable, Sendable, BitwiseCopyable {
  var offset: Int32
  /// 0 when there is nothing to compare.
  public var byteCount: Int32

  public static var none: Self { Self(offset: 0, byteCount: 0) }
}

/// The clauses of one descriptor, all of which must hold, as a matcher keeps them.
///
/// There is at least a company identifier, a service UUID, a name or the prefix of an address. Blob and mask have the
/// same length.
public struct DescriptorClauses: Sendable, BitwiseCopyable {
  public var companyIdentifier: UInt16?
  public var manufacturerBlob = StoredBytes.none
  public var manufacturerMask = StoredBytes.none
  public var serviceUUID: BluetoothUUID?
  public var serviceBlob = StoredBytes.none
  public var serviceMask = StoredBytes.none
  public var name = StoredBytes.none
  public var nameOptions = NameOptions.none
  /// As long as the name, every bit set, if the name is looked up as the beginning of a device's name: without a key
  /// and the prefix of an address, and compared byte by byte. Otherwise empty.
  public var nameMask = StoredBytes.none
  public var addressPrefix: AddressPrefix?

  public init() {}

  /// Whether there is a company identifier or a service UUID.
  var hasKey: Bool { companyIdentifier != nil || serviceUUID != nil }
  var asksForMoreThanName: Bool { hasKey || addressPrefix != nil }
}

/// What an evaluation found: the first items in manifest order, and how many there are in all.
public struct MatchedItems: Equatable, Sendable, BitwiseCopyable {
  /// Items a device can match at once; those after it are counted.
  public static var capacity: Int { 8 }

  private var items = InlineArray<8, Int32>(repeating: 0)
  private var kept: UInt8 = 0
  private var found: UInt16 = 0

  public init() {}

  /// Items kept, at most the capacity.
  @inline(__always)
  public var count: Int { Int(kept) }

  /// Items that matched, those beyond the capacity included; counts to 65,535.
  public var total: Int { Int(found) }

  /// The kept items, ascending.
  public subscript(_ index: Int) -> Int32 {
    precondition(index >= 0 && index < count)
    return items[index]
  }

  @inline(__always)
  mutating func clear() {
    kept = 0
    found = 0
  }

  func contains(_ item: Int32) -> Bool {
    for index in 0..<count where items[index] == item { return true }
    return false
  }

  /// Adds an item that has not been added before.
  mutating func insert(_ item: Int32) {
    if found < .max { found &+= 1 }
    if count == Self.capacity {
      guard item < items[count - 1] else { return }
      kept &-= 1
    }
    var place = count
    while place > 0, items[place - 1] > item {
      items[place] = items[place - 1]
      place -= 1
    }
    items[place] = item
    kept &+= 1
  }

  public static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count, left.total == right.total else { return false }
    for index in 0..<left.count where left.items[index] != right.items[index] { return false }
    return true
  }
}
