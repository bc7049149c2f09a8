// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import ToolText
import Varlink

/// Why the devices of one address do or do not match each item: for each row the device, then item by item.
struct ExplanationList: Sendable {
  private let bits: UInt64
  private var rows: ArraySlice<Int>
  /// The item that comes next; nil while the device itself does.
  private var item: Int?
  private var waiting: [ItemExplanation] = []

  init(_ rows: [Int], bits: UInt64) {
    self.rows = rows[...]
    self.bits = bits
  }

  mutating func next(_ dataPath: borrowing DataPath) -> AgentCore.Step {
    while let row = rows.first {
      if !waiting.isEmpty { return .say(Self.message(waiting.removeFirst())) }
      guard dataPath.has(bits, at: row), let view = dataPath.device(atRow: row) else {
        skipRow()
        continue
      }
      guard let item else {
        item = 0
        return .say(Message.element("device", DeviceLine(view)))
      }
      guard item < dataPath.items.count else {
        skipRow()
        continue
      }
      waiting = dataPath.explanations(of: view, item: item)
      self.item = item + 1
    }
    return .end(Message.reply())
  }

  private mutating func skipRow() {
    rows.removeFirst()
    item = nil
    waiting = []
  }

  /// An explanation that is longer than a reply may be leaves out comparisons.
  private static func message(_ explanation: ItemExplanation) -> [UInt8] {
    for comparisonsMax in [32, 4] {
      let message = message(explanation, comparisonsMax: comparisonsMax)
      if message.count <= elementBytesMax { return message }
    }
    return message(explanation, comparisonsMax: 1)
  }

  /// A stream has this room at least, however small the manifest makes the buffer.
  static let elementBytesMax = 32 << 10

  private static func message(_ explanation: ItemExplanation, comparisonsMax: Int) -> [UInt8] {
    Message.element("explanation", explanation.limited(toComparisons: comparisonsMax))
  }
}

extension DataPath {
  /// Whether the row holds a device of the address, private or identity.
  func has(_ bits: UInt64, at row: Int) -> Bool {
    guard let device = pipeline.device(at: row) else { return false }
    return device.address.bits == bits || pipeline.address(at: row).bits == bits
  }

  /// The rows of an address, of whichever type.
  func rows(of bits: UInt64) -> [Int] {
    var rows: [Int] = []
    for row in 0..<pipeline.rowCount where has(bits, at: row) { rows.append(row) }
    return rows
  }

  /// The addresses by which the devices of an address are on the air now, and that address itself.
  func addresses(of bits: UInt64) -> Set<UInt64> {
    var addresses: Set = [bits]
    for row in rows(of: bits) {
      if let device = pipeline.device(at: row) { addresses.insert(device.address.bits) }
    }
    return addresses
  }
}
