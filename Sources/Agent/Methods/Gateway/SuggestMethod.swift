// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import Manifest
import Explanation
import Varlink

/// `Suggest`: items that would find devices like this one, after a few seconds of listening to it.
enum SuggestMethod: GatewayMethod {
  static let name = GatewayMethodName.suggest

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let agent = call.agent
    let device = try call.parameters.device()
    guard let seconds = try? call.parameters.integerIfPresent("seconds") ?? 5, (1...60).contains(seconds)
    else {
      throw .invalidParameter("seconds")
    }
    let addresses = agent.dataPath.currentAddresses(of: device.bits)
    guard let sample = agent.startSample(of: addresses) else {
      throw agent.refuseAsBusy(limit: DeviceSampler.samplesMax)
    }
    let end = agent.now.advanced(milliseconds: seconds * 1000)
    return .stream(SuggestionStream(device: device.text, phase: .listening(sample, until: end)))
  }
}

/// Nothing while the device is listened to, then one suggestion a reply.
struct SuggestionStream: ReplyStream {
  fileprivate enum Phase {
    case listening(DeviceSampler.SampleID, until: Instant)
    case replying(ArraySlice<[UInt8]>)
  }

  fileprivate let device: String
  fileprivate var phase: Phase

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch phase {
    case .listening(let sample, let end):
      guard end <= agent.now else { return .wait }
      let sources = agent.finishSample(sample)
      guard !sources.isEmpty else { return fail(.deviceNotInSight(device)) }
      let suggestions = Suggestion.all(of: sources, others: agent.dataPath.sources(besides: sources))
      guard !suggestions.isEmpty else { return fail(.notRecognisable(device)) }
      phase = .replying(suggestions.map { Message.element("suggestion", $0) }[...])
      return nextReply(agent)
    case .replying(let replies):
      guard let reply = replies.first else { return .end(Message.reply()) }
      phase = .replying(replies.dropFirst())
      return .reply(reply)
    }
  }

  private mutating func fail(_ error: GatewayError) -> StreamStep {
    phase = .replying([])
    return .end(error.message)
  }

  func deadline(_ agent: AgentCore) -> Instant? {
    if case .listening(_, let end) = phase { end } else { nil }
  }

  func release(_ agent: AgentCore) {
    if case .listening(let sample, _) = phase { agent.finishSample(sample) }
  }
}

extension ManifestDataPath {
  /// What the tables have of every other device.
  fileprivate func sources(besides sources: [SuggestionSource]) -> [SuggestionSource] {
    let addresses = Set(sources.map(\.address))
    return devices.filter { !addresses.contains($0.device.address) }.flatMap(\.suggestionSources)
  }

  /// The addresses that the devices of an address use now, and that address itself.
  func currentAddresses(of bits: UInt64) -> Set<UInt64> {
    var addresses: Set = [bits]
    for row in rows(of: bits) {
      if let device = pipeline.device(at: row) { addresses.insert(device.address.bits) }
    }
    return addresses
  }
}
