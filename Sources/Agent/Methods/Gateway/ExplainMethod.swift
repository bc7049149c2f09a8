// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Explanation
import Varlink

/// `Explain`: why the devices of one address, or a network's name, match each item, or do not.
enum ExplainMethod: GatewayMethod {
  static let name = GatewayMethodName.explain
  private static let secondsMax: Int64 = 3

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let agent = call.agent
    if let network = try call.parameters.network() { return .stream(NetworkExplanations(network)) }
    let device = try call.parameters.device()
    let parameters = call.parameters
    guard let seconds = try? parameters.integerIfPresent("seconds") ?? 0, (0...secondsMax).contains(seconds)
    else { throw .invalidParameter("seconds") }
    let rows = agent.dataPath.rows(of: device.bits)
    guard !rows.isEmpty else { throw .deviceNotInSight(device.text) }
    guard seconds > 0 else { return .stream(ExplanationStream(rows, bits: device.bits)) }
    guard let sample = agent.startSample(of: agent.dataPath.currentAddresses(of: device.bits)) else {
      throw agent.refuseAsBusy(limit: DeviceSampler.samplesMax)
    }
    let end = agent.now.advanced(milliseconds: seconds * 1000)
    return .stream(ExplanationStream(rows, bits: device.bits, listening: (sample, end)))
  }
}

/// After listening to the device, for each row of the address: the device, its frames, then item by item what was
/// compared.
private struct ExplanationStream: ReplyStream {
  private let bits: UInt64
  private var rows: ArraySlice<Int>
  /// While the device is listened to.
  private var listening: (sample: DeviceSampler.SampleID, end: Instant)?
  private var sources: [SuggestionSource] = []
  /// The item that comes next; nil while the device itself does.
  private var item: Int?
  private var waiting: [[UInt8]] = []

  init(_ rows: [Int], bits: UInt64, listening: (sample: DeviceSampler.SampleID, end: Instant)? = nil) {
    self.rows = rows[...]
    self.bits = bits
    self.listening = listening
  }

  func deadline(_ agent: AgentCore) -> Instant? { listening?.end }

  func release(_ agent: AgentCore) {
    if let listening { agent.finishSample(listening.sample) }
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    if let listening {
      guard listening.end <= agent.now else { return .wait }
      sources = agent.finishSample(listening.sample)
      self.listening = nil
    }
    while let row = rows.first {
      if !waiting.isEmpty { return .reply(waiting.removeFirst()) }
      guard agent.dataPath.has(bits, at: row), var view = agent.dataPath.device(atRow: row) else {
        skipRow()
        continue
      }
      view = view.withEvery(frame: SuggestionSource.frames(of: view.device.address, in: sources))
      guard let item else {
        item = 0
        if view.hasEveryFrame { waiting = view.payloads.reversed().map(Self.message(ofFrame:)) }
        return .reply(Message.element("device", DeviceLine(view)))
      }
      guard item < agent.dataPath.items.count else {
        skipRow()
        continue
      }
      waiting = agent.dataPath.explanations(of: view, item: item).map(Self.message)
      self.item = item + 1
    }
    return .end(Message.reply())
  }

  private mutating func skipRow() {
    rows.removeFirst()
    item = nil
    waiting = []
  }

  private static func message(ofFrame frame: (data: [UInt8], response: [UInt8])) -> [UInt8] {
    Message.reply(continues: true) { json in
      json.object("frame") { json in
        json.member("data", Hex(frame.data).text)
        json.member("response", Hex(frame.response).text)
      }
    }
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
