// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import JSON
import Varlink
import VarlinkClient
import VirtualRadio

/// An operator who watches requests and decides at random.
struct SimulatedOperator {
  private(set) var watch: ClientID?
  /// Where the operator makes calls. A choice is answered when the setup ends, so that a name comes on the second one.
  private var calls: [ClientID] = []
  private var connections: [ClientID: ClientConnection] = [:]
  private(set) var requests: [String: RequestLine] = [:]
  private(set) var candidates: [String: [UInt32]] = [:]
  var nextAct: Int64 = 0

  /// Connects to an agent that has just started.
  mutating func connect(_ agent: AgentCore, admit: (UInt32) -> ClientID?) {
    self = SimulatedOperator()
    watch = admit(0)
    calls = [admit(0), admit(0)].compactMap { $0 }
    for id in calls + [watch].compactMap({ $0 }) { connections[id] = ClientConnection() }
    if let watch { send("Watch", more: true, on: watch, to: agent) { _ in } }
  }

  mutating func forget(_ id: ClientID) {
    connections[id] = nil
    if watch == id { watch = nil }
    calls.removeAll { $0 == id }
  }

  /// Makes a call on a connection that is idle, if there is one.
  mutating func send(
    _ method: String, to agent: AgentCore, _ parameters: (inout JSONWriter) -> Void
  ) {
    guard let id = calls.first(where: { connections[$0]?.isWaiting == false }) else { return }
    send(method, more: false, on: id, to: agent, parameters)
  }

  private mutating func send(
    _ method: String, more: Bool, on id: ClientID, to agent: AgentCore,
    _ parameters: (inout JSONWriter) -> Void
  ) {
    let message = Message.call("io.accessoryd.Operator.\(method)", more: more, parameters)
    guard connections[id]?.isWaiting == false, connections[id]?.beginCall(message, wantsMore: more) == true
    else { return }
    connections[id]?.drain { bytes in
      agent.receive(bytes, from: id)
      return bytes.count
    }
  }

  /// Reads what the agent sent.
  mutating func read(_ agent: AgentCore) {
    for id in [watch].compactMap(\.self) + calls {
      agent.drain(id) { bytes in
        let count = min(bytes.count, connections[id]?.receivableByteCount ?? 0)
        connections[id]?.receive(bytes.extracting(0..<count))
        return count
      }
      while case .reply(let reply)? = try? connections[id]?.nextReply() { note(reply) }
    }
  }

  private mutating func note(_ reply: ReceivedReply) {
    guard reply.error == nil, let line = try? PickerReply(reply.parameters) else { return }
    switch line {
    case .request(let request): requests[request.request] = request
    case .candidate(let candidate, let request): candidates[request, default: []].append(candidate.candidate)
    case .gone(let candidate, let request): candidates[request]?.removeAll { $0 == candidate }
    case .closed(let request, _):
      requests[request] = nil
      candidates[request] = nil
    case .synced: break
    }
  }

  /// Renames an accessory, which every session of its app learns.
  mutating func rename(_ accessory: String, _ agent: AgentCore, _ dice: inout SeededGenerator) {
    let name = String(repeating: "x", count: 150) + " \(dice.number(below: 1_000_000))"
    send("Rename", to: agent) { json in
      json.member("accessory", accessory)
      json.member("name", name)
    }
  }

  /// Decides one request.
  mutating func act(_ agent: AgentCore, _ dice: inout SeededGenerator) {
    let names = requests.keys.sorted()
    guard !names.isEmpty else { return }
    let name = names[dice.number(below: names.count)]
    guard let request = requests[name] else { return }
    switch dice.number(below: 12) {
    case 0: send("Deny", to: agent) { $0.member("request", name) }
    case 1: send("Cancel", to: agent) { $0.member("request", name) }
    default:
      switch (request.kind, request.phase) {
      case (.setup, .naming), (.rename, _):
        let text = "Name \(dice.number(below: 100))"
        send("Name", to: agent) { json in
          json.member("request", name)
          json.member("name", text)
        }
      case (.setup, _):
        guard let known = candidates[name], !known.isEmpty else { return }
        let candidate = known[dice.number(below: known.count)]
        send("Choose", to: agent) { json in
          json.member("request", name)
          json.member("candidate", candidate)
        }
      default: send("Agree", to: agent) { $0.member("request", name) }
      }
    }
  }
}
