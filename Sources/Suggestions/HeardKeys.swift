// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The keys that one structure of a frame had: a company identifier, the UUID of service data, or a list of services.
///
/// Capacity: ``valuesMax`` keys; when it is full, a key that came once makes way. A structure that has more has a reading
/// there, and none of them lasts.
struct HeardKeys<Key: Hashable & Sendable>: Sendable {
  struct Value: Sendable {
    let key: Key
    var data: KeyData
    var reportCount = 1
    /// How many times it came after another one.
    var returnCount = 0

    /// Whether every report had the same data after the key.
    var isConstant: Bool { data.payloads.count == 1 }
  }

  private static var valuesMax: Int { 8 }
  /// A frame that takes turns with others comes back as often, and one that took their place came as often since then.
  private static var timesMin: Int { 3 }
  /// Among readings, a frame of its own is at least this part of the reports.
  private static var shareMin: Int { 8 }

  private(set) var values: [Value]
  private(set) var hasMore = false
  private var reportCount = 1
  private var last: Key
  /// How many times ``last`` came in a row.
  private var runLength = 1

  init(_ key: Key, _ payload: [UInt8]) {
    values = [Value(key: key, data: KeyData(payload))]
    last = key
  }

  mutating func add(_ key: Key, _ payload: [UInt8]) {
    reportCount += 1
    if let index = values.firstIndex(where: { $0.key == key }) {
      if last != key { values[index].returnCount += 1 }
      values[index].reportCount += 1
      values[index].data.add(payload)
    } else {
      if values.count == Self.valuesMax {
        hasMore = true
        values.firstIndex { $0.reportCount == 1 }.map { _ = values.remove(at: $0) }
      }
      if values.count < Self.valuesMax { values.append(Value(key: key, data: KeyData(payload))) }
    }
    runLength = last == key ? runLength + 1 : 1
    last = key
  }

  /// The key that every report had; or those that take turns, and one that took the place of another. With
  /// `lengthsDiffer`, only where the data of each has a length of its own.
  func lasting(lengthsDiffer: Bool) -> [Value] {
    if hasMore { return [] }
    if values.count == 1 { return values }
    return values.filter { value in
      (takesTurns(value) || (value.key == last && runLength >= Self.timesMin))
        && (!lengthsDiffer
          || others(besides: value).allSatisfy {
            $0.data.byteCounts.isDisjoint(with: value.data.byteCounts)
          })
    }
  }

  private func takesTurns(_ value: Value) -> Bool { value.returnCount >= Self.timesMin }

  private func others(besides value: Value) -> [Value] { values.filter { $0.key != value.key } }

  /// Keys that take turns before like data, and that `areFar` from each other: those that are near are a reading that goes
  /// up and down. Where none is far, two that are constant may still be two frames.
  fileprivate func doubtful(_ areFar: (Key, Key) -> Bool) -> [Value] {
    let turning = values.filter {
      takesTurns($0) && (!hasMore || $0.reportCount * Self.shareMin >= reportCount)
    }
    let far = turning.filter { value in
      others(besides: value).allSatisfy { areFar($0.key, value.key) || (hasMore && $0.reportCount == 1) }
    }
    if hasMore || !far.isEmpty { return far }
    return turning.filter { value in
      let near = others(besides: value).filter { !areFar($0.key, value.key) }
      return value.isConstant && near.count == 1 && near[0].isConstant && takesTurns(near[0])
    }
  }
}

extension HeardKeys<UInt16> {
  /// Company identifiers of which each may be the company; those that differ in one byte are none.
  var doubtful: [Value] {
    doubtful { one, other in (one ^ other) & 0xFF != 0 && (one ^ other) >> 8 != 0 }
  }
}

extension HeardKeys<BluetoothUUID> {
  /// UUIDs of which each may be the service: short ones that differ in both bytes, and long ones that differ in more bytes
  /// than a reading has.
  var doubtful: [Value] { doubtful { $0.isFar(from: $1) } }
}

/// The lists of services that one structure of a frame had.
struct HeardServices: Sendable {
  /// The services that every list had.
  private(set) var common: [BluetoothUUID]
  /// Each list is a key without data.
  private var lists: HeardKeys<[BluetoothUUID]>

  init(_ list: [BluetoothUUID]) { (common, lists) = (list, HeardKeys(list, [])) }

  mutating func add(_ list: [BluetoothUUID]) {
    common = common.filter(list.contains)
    lists.add(list, [])
  }

  /// The services of lists that take turns: a list is hardly ever a reading, unless there are many.
  var doubtful: [BluetoothUUID] {
    lists.doubtful { one, other in
      !lists.hasMore || one.allSatisfy { uuid in other.allSatisfy { uuid == $0 || uuid.isFar(from: $0) } }
    }.flatMap(\.key)
  }
}

extension BluetoothUUID {
  /// Whether two UUIDs differ in more bytes than a reading has.
  fileprivate func isFar(from other: BluetoothUUID) -> Bool {
    let difference = [high ^ other.high, low ^ other.low].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(8 * $0)) }
    }
    let areShort = short.map { $0 <= 0xFFFF } ?? false && other.short.map { $0 <= 0xFFFF } ?? false
    return difference.count { $0 != 0 } >= (areShort ? 2 : 5)
  }
}
