// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import Manifest
import Explanation
import Varlink

/// `Explain`: why the devices of one address match each item, or do not.
enum ExplainMethod: GatewayMethod {
  static let name = GatewayMethodName.explain

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let device = try call.parameters.device()
    let rows = call.agent.dataPath.rows(of: device.bits)
    guard !rows.isEmpty else { throw .deviceNotInSight(device.text) }
    return .stream(ExplanationStream(rows, bits: device.bits))
  }
}

/// For each row of the address: the device, then item by item what was compared.
private struct ExplanationStream: ReplyStream {
  private let bits: UInt64
  private var rows: ArraySlice<Int>
  /// The item that comes next; nil while the device itself does.
  private var item: Int?
  private var waiting: [ItemExplanation] = []

  init(_ rows: [Int], bits: UInt64) {
    self.rows = rows[...]
    self.bits = bits
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    while let row = rows.first {
      if !waiting.isEmpty { return .reply(Self.message(waiting.removeFirst())) }
      guard agent.dataPath.has(bits, at: row), let view = agent.dataPath.device(atRow: row) else {
        skipRow()
        continue
      }
      guard let item else {
        item = 0
        return .reply(Message.element("device", DeviceLine(view)))
      }
      guard item < agent.dataPath.items.count else {
        skipRow()
        continue
      }
      waiting = agent.dataPath.explanations(of: view, item: item)
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

  /// The room that a stream has at least, however small the manifest makes the buffer.
  private static let elementBytesMax = 32 << 10

  private static func message(_ explanation: ItemExplanation, comparisonsMax: Int) -> [UInt8] {
    Message.element("explanation", explanation.limited(toComparisons: comparisonsMax))
  }
}

extension Parameters {
  /// The address in `device`, as operators write it.
  func device() throws(GatewayError) -> (bits: UInt64, text: String) {
    guard let text = try? string("device"), let bits = AddressText.bits(text) else {
      throw .invalidParameter("device")
    }
    return (bits, text.uppercased())
  }
}

extension ManifestDataPath {
  /// Whether the row holds a device of the address, private or identity.
  fileprivate func has(_ bits: UInt64, at row: Int) -> Bool {
    guard let device = pipeline.device(at: row) else { return false }
    return device.address.bits == bits || pipeline.address(at: row).bits == bits
  }

  /// The rows of an address, of whichever type.
  func rows(of bits: UInt64) -> [Int] {
    var rows: [Int] = []
    for row in 0..<pipeline.rowCount where has(bits, at: row) { rows.append(row) }
    return rows
  }
}
