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

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let agent = call.agent
    if let network = try call.parameters.network() { return .stream(NetworkExplanations(network)) }
    let device = try call.parameters.device()
    let seconds = try call.parameters.listeningSeconds()
    let rows = agent.dataPath.rows(of: device.bits)
    guard !rows.isEmpty else { throw .deviceNotInSight(device.text) }
    let addresses = seconds == 0 ? [] : agent.dataPath.currentAddresses(of: device.bits)
    let frames = try HeardFrames(of: addresses, seconds: seconds, agent)
    return .stream(ExplanationStream(rows, bits: device.bits, frames))
  }
}

/// What devices send while a call listens to them.
struct HeardFrames {
  private var listening: (sample: DeviceSampler.SampleID, end: Instant)?
  private var sets: [SampledSet] = []

  /// Begins to listen to the devices that use these addresses, if there are any.
  init(of addresses: Set<UInt64>, seconds: Int64, _ agent: AgentCore) throws(GatewayError) {
    guard !addresses.isEmpty else { return }
    guard let sample = agent.startSample(of: addresses) else {
      throw agent.refuseAsBusy(limit: DeviceSampler.samplesMax)
    }
    listening = (sample, agent.now.advanced(milliseconds: seconds * 1000))
  }

  var end: Instant? { listening?.end }

  /// Whether the time is over, or has been.
  mutating func finish(_ agent: AgentCore) -> Bool {
    guard let listening else { return true }
    guard listening.end <= agent.now else { return false }
    sets = agent.finishSample(listening.sample)
    self.listening = nil
    return true
  }

  func release(_ agent: AgentCore) {
    if let listening { agent.finishSample(listening.sample) }
  }

  /// The device with every frame that was heard, if any was.
  func added(to view: DeviceView) -> DeviceView {
    view.withEvery(frame: SampledSet.frames(of: view.device.address, in: sets))
  }
}

/// After listening to the device, for each row of the address: the device, its frames, then item by item what was
/// compared.
private struct ExplanationStream: ReplyStream {
  private let bits: UInt64
  private var rows: ArraySlice<Int>
  private var frames: HeardFrames
  /// The item that comes next; nil while the device itself does.
  private var item: Int?
  private var waiting: [[UInt8]] = []
  /// How often each item lost the device of the row while it sent other frames.
  private var losses: [Int32: Int] = [:]

  init(_ rows: [Int], bits: UInt64, _ frames: HeardFrames) {
    self.rows = rows[...]
    self.bits = bits
    self.frames = frames
  }

  func deadline(_ agent: AgentCore) -> Instant? { frames.end }

  func release(_ agent: AgentCore) { frames.release(agent) }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard frames.finish(agent) else { return .wait }
    while let row = rows.first {
      if !waiting.isEmpty { return .reply(waiting.removeFirst()) }
      guard agent.dataPath.has(bits, at: row), let latest = agent.dataPath.device(atRow: row) else {
        skipRow()
        continue
      }
      let view = frames.added(to: latest)
      guard let item else {
        item = 0
        losses = agent.dataPath.lossesToOtherFrames(of: view.address)
        if view.hasEveryFrame { waiting = view.payloads.reversed().map(Self.message(ofFrame:)) }
        if let identity = agent.dataPath.reversedIdentity(of: view.device.address) {
          waiting.append(Self.message(ofReversedKey: identity))
        }
        return .reply(Message.element("device", DeviceLine(view)))
      }
      guard item < agent.dataPath.items.count else {
        skipRow()
        continue
      }
      waiting = agent.dataPath.explanations(
        of: view, item: item, lossesToOtherFrames: losses[Int32(item)] ?? 0
      ).map(Self.message)
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

  private static func message(ofReversedKey identity: DeviceAddress) -> [UInt8] {
    Message.reply(continues: true) { $0.member("reversedIdentityKey", AddressText.text(of: identity.bits)) }
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

  /// How long a call listens before it replies: 0 to 3.
  func listeningSeconds() throws(GatewayError) -> Int64 {
    guard let seconds = try? integerIfPresent("seconds") ?? 0, (0...3).contains(seconds) else {
      throw .invalidParameter("seconds")
    }
    return seconds
  }
}

extension ManifestDataPath {
  /// Whether the row holds a device of the address, private or identity.
  fileprivate func has(_ bits: UInt64, at row: Int) -> Bool {
    guard let device = pipeline.device(at: row) else { return false }
    return device.address.bits == bits || pipeline.address(at: row).bits == bits
  }

  /// The rows of an address, of whichever type.
  fileprivate func rows(of bits: UInt64) -> [Int] { liveRows.filter { has(bits, at: $0) } }

  /// The addresses that the devices of an address use now, and that address itself.
  func currentAddresses(of bits: UInt64) -> Set<UInt64> {
    var addresses: Set = [bits]
    for row in rows(of: bits) {
      if let device = pipeline.device(at: row) { addresses.insert(device.address.bits) }
    }
    return addresses
  }
}
