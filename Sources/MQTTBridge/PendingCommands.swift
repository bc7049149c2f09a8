// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BrokerFeed
import Interfaces
import JSON
import VarlinkClient

/// The commands whose results are awaited, and the request of a pick. Capacity: ``callsMax`` commands and one pick; others are
/// refused with a result.
struct PendingCommands: Sendable {
  enum Effect: Sendable {
    case begin(BridgeCallID, BridgeCall)
    case cancel(BridgeCallID)
    /// A result for the caller.
    case result([UInt8])
  }

  private struct Pick: Sendable {
    let id: JSONValue
    var request: String?
    /// The level that each candidate was reported with.
    var reported: [UInt32: Int] = [:]
  }

  static let callsMax = 8
  /// A candidate is reported again when its level has changed by this many decibels.
  private static let levelStep = 6
  private static let openCall = BridgeCallID(4)
  private static let requestsCall = BridgeCallID(5)
  private static let firstCall = 100

  private var pick: Pick?
  private var calls: [BridgeCallID: JSONValue] = [:]
  private var lastCall = Self.firstCall

  /// Carries out a command, or says why not.
  mutating func receive(_ name: String, _ payload: [UInt8], _ book: AccessoryBook) -> [Effect] {
    do throws(CommandError) {
      return try run(MQTTCommand(name, payload), book)
    } catch {
      return [Self.refusal(error.id, error.sentence)]
    }
  }

  private mutating func run(_ command: MQTTCommand, _ book: AccessoryBook) throws(CommandError) -> [Effect] {
    func refuse(_ sentence: String) -> CommandError { CommandError(id: command.id, sentence: sentence) }
    func identifier(_ name: String) throws(CommandError) -> String {
      do throws(AccessoryBook.NameError) { return try book.identifier(of: name) } catch {
        throw refuse(error.sentence)
      }
    }
    switch command.action {
    case .pick(let app, let item, let seconds, let count):
      guard pick == nil else { throw refuse("a pick is in progress; cancel it first") }
      pick = Pick(id: command.id)
      let parameters = OpenParameters(
        app: app, items: item.map { [$0] }, count: count, discoveryTimeout: String(seconds))
      return [
        .begin(Self.openCall, .once(OperatorMethodName.open) { parameters.writeMembers(to: &$0) }),
        .begin(Self.requestsCall, .kept(OperatorMethodName.watch)),
      ]
    case .cancel:
      guard pick != nil else { throw refuse("there is no pick") }
      return end("it was cancelled") + [Self.success(command.id)]
    case .choose(let request, let candidate, let name):
      return try call(command.id, .choose, within: .seconds(170)) { json in
        json.member("request", request)
        json.member("candidate", candidate)
        json.member("name", name)
      }
    case .rename(let accessory, let name):
      let accessory = try identifier(accessory)
      return try call(command.id, .rename) { json in
        json.member("accessory", accessory)
        json.member("name", name)
      }
    case .remove(let accessory):
      let accessory = try identifier(accessory)
      return try call(command.id, .remove) { $0.member("accessory", accessory) }
    }
  }

  private mutating func call(
    _ id: JSONValue, _ method: OperatorMethodName, within limit: Duration = .seconds(40),
    _ parameters: @escaping @Sendable (inout JSONWriter) -> Void
  ) throws(CommandError) -> [Effect] {
    guard calls.count < Self.callsMax else {
      throw CommandError(
        id: id, sentence: "\(Self.callsMax) commands are in progress; wait for their results")
    }
    lastCall += 1
    calls[BridgeCallID(lastCall)] = id
    return [.begin(BridgeCallID(lastCall), .once(method, within: limit, parameters))]
  }

  // MARK: - Results

  mutating func receive(_ reply: ReceivedReply, of call: BridgeCallID) -> [Effect] {
    switch call {
    case Self.openCall: return openAnswered(reply)
    case Self.requestsCall: return requestsAnswered(reply)
    default:
      guard let id = calls.removeValue(forKey: call) else { return [] }
      if let refusal = reply.refusal { return [Self.refusal(id, refusal)] }
      let accessory = try? JSONObjectReader(reply.parameters).stringIfPresent("accessory")
      let name = try? JSONObjectReader(reply.parameters).stringIfPresent("displayName")
      return [
        Self.success(id) { json in
          json.member("accessory", accessory)
          json.member("displayName", name)
        }
      ]
    }
  }

  mutating func fail(_ call: BridgeCallID, _ reason: String) -> [Effect] {
    if call == Self.openCall { return end(reason) }
    return calls.removeValue(forKey: call).map { [Self.refusal($0, reason)] } ?? []
  }

  /// The agent or the broker is away: nothing more comes of the commands. Returns the calls to cancel.
  mutating func abandonAll() -> [BridgeCallID] {
    defer { (calls, pick) = ([:], nil) }
    let others = calls.keys.sorted { $0.number < $1.number }
    return pick == nil ? others : [Self.openCall, Self.requestsCall] + others
  }

  /// Ends a pick, with its last result.
  mutating func end(_ reason: String) -> [Effect] {
    guard let pick else { return [] }
    self.pick = nil
    return [.cancel(Self.openCall), .cancel(Self.requestsCall), Self.refusal(pick.id, reason)]
  }

  private mutating func openAnswered(_ reply: ReceivedReply) -> [Effect] {
    guard let id = pick?.id else { return [] }
    let line = JSONObjectReader(reply.parameters)
    if let request = try? line.stringIfPresent("request") {
      pick?.request = request
      return [Self.success(id) { $0.member("request", request) }]
    }
    if let accessory = try? line.stringIfPresent("accessory") {
      let name = try? line.stringIfPresent("displayName")
      return [
        Self.success(id) { json in
          json.member("accessory", accessory)
          json.member("displayName", name)
        }
      ]
    }
    if let refusal = reply.refusal { return end(refusal) }
    pick = nil
    return [.cancel(Self.requestsCall), Self.success(id) { $0.member("isFinished", true) }]
  }

  private mutating func requestsAnswered(_ reply: ReceivedReply) -> [Effect] {
    guard let pick, let line: PickerReply = reply.line() else { return [] }
    switch line {
    case .candidate(let candidate, let request) where request == pick.request:
      let level = candidate.level.map(Int.init)
      if let before = pick.reported[candidate.candidate], abs((level ?? before) - before) < Self.levelStep {
        return []
      }
      self.pick?.reported[candidate.candidate] = level ?? 0
      return [Self.result(of: candidate, pick.id, request, level)]
    case .gone(let candidate, let request) where request == pick.request:
      self.pick?.reported[candidate] = nil
      return [
        Self.success(pick.id) { json in
          json.member("request", request)
          json.member("gone", candidate)
        }
      ]
    case .candidate, .gone, .request, .closed, .synced: return []
    }
  }

  /// Without an address: it is no accessory yet.
  private static func result(
    of candidate: CandidateLine, _ id: JSONValue, _ request: String, _ level: Int?
  ) -> Effect {
    let name = (candidate.ssid ?? candidate.deviceName)?.repaired
    return success(id) { json in
      json.member("request", request)
      json.object("candidate") { json in
        json.member("candidate", candidate.candidate)
        json.member("itemIndex", candidate.itemIndex)
        json.member("name", candidate.name)
        json.member("deviceName", name)
        json.member("level", level)
      }
    }
  }

  private static func success(_ id: JSONValue, _ body: (inout JSONWriter) -> Void = { _ in }) -> Effect {
    .result(
      JSONText.object { json in
        json.member("id", id)
        json.member("ok", true)
        body(&json)
      })
  }

  private static func refusal(_ id: JSONValue, _ sentence: String) -> Effect {
    .result(
      JSONText.object { json in
        json.member("id", id)
        json.member("ok", false)
        json.member("error", sentence)
      })
  }
}
