// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Interfaces
import JSON
import LinuxSystem
import PickerScreen
import ToolText
import Varlink

/// The connections of a picker: the open requests, the agent's status, the request on an app's behalf, and the actions
/// that are being sent.
struct PickerConnections: ~Copyable {
  /// What arrived on a connection.
  enum Arrival {
    case reply(PickerReply)
    case status(StatusLine)
    case answer(PickerAnswer, PickerAction)
  }

  /// How often the picker asks for the agent's status.
  private static let statusSeconds = 4

  private let path: String
  private var watch: GatewayConnection
  private var statusCall: GatewayConnection
  private var statusDue: MonotonicInstant
  let opened: OpenedRequest?
  private var actions: [PendingAction] = []
  /// The agent's status at the start.
  let status: StatusLine

  /// Starts every call, and waits for the first replies.
  init(path: String, _ opening: RequestOpening?) throws(AgentCallError) {
    var statusCall = try GatewayConnection(path: path)
    try statusCall.startCall(GatewayMethodName.status)
    let status = try statusCall.onlyReply { line throws(JSONMemberError) in try StatusLine(reading: line) }
    let statusDue = try Self.instant(after: Self.statusSeconds)
    // The person at the screen can do everything, also when the request pairs a device at once.
    let watch = try GatewayConnection.watchingRequests(path, PairingCapabilityName.allCases)
    var opened: OpenedRequest?
    if let opening { opened = try OpenedRequest(path: path, opening) }
    self.path = path
    self.status = status
    self.statusCall = statusCall
    self.statusDue = statusDue
    self.opened = opened
    self.watch = watch
  }

  private static func instant(after seconds: Int) throws(AgentCallError) -> MonotonicInstant {
    do throws(SystemError) { return try .now().advanced(seconds: seconds) } catch { throw .system(error) }
  }

  /// What to poll, in the order that ``advance(_:at:)`` takes.
  var entries: [Polling.Entry] {
    [watch.entry, statusCall.entry] + (opened.map { [$0.entry] } ?? []) + actions.map(\.entry)
  }

  /// Starts to send an action.
  mutating func send(_ action: PickerAction) -> Arrival? {
    guard actions.count < PendingAction.countMax else {
      return .answer(.failed("too many actions wait for the agent", cure: "try again in a moment"), action)
    }
    do throws(AgentCallError) {
      actions.append(try PendingAction(action, path: path))
      return nil
    } catch {
      return .answer(error.answer(at: path), action)
    }
  }

  /// Sends and receives what the connections are ready for.
  mutating func advance(_ ready: ArraySlice<Readiness>, at now: MonotonicInstant) throws(AgentCallError)
    -> [Arrival]
  {
    var ready = ready
    var arrivals = try advanceWatch(ready.popFirst() ?? [])
    arrivals += try advanceStatus(ready.popFirst() ?? [], at: now)
    let openedReadiness = opened == nil ? [] : ready.popFirst() ?? []
    var kept: [PendingAction] = []
    for pending in actions {
      do throws(AgentCallError) {
        guard let answer = try pending.advance(ready.popFirst() ?? [], at: now) else {
          kept.append(pending)
          continue
        }
        arrivals.append(.answer(answer, pending.action))
      } catch {
        arrivals.append(.answer(error.answer(at: path), pending.action))
      }
    }
    actions = kept
    try opened?.advance(openedReadiness)
    return arrivals
  }

  private mutating func advanceWatch(_ readiness: Readiness) throws(AgentCallError) -> [Arrival] {
    if !readiness.isEmpty { try watch.exchange(readiness) }
    var arrivals: [Arrival] = []
    while let reply = try watch.receivedReply() { arrivals.append(.reply(try PickerReply(reply))) }
    return arrivals
  }

  private mutating func advanceStatus(_ readiness: Readiness, at now: MonotonicInstant) throws(AgentCallError)
    -> [Arrival]
  {
    if !readiness.isEmpty { try statusCall.exchange(readiness) }
    if let reply = try statusCall.receivedReply() {
      do throws(JSONMemberError) {
        return [.status(try StatusLine(reading: JSONObjectReader(reply.parameters)))]
      } catch {
        throw .line(error)
      }
    }
    if now >= statusDue, !statusCall.isWaiting {
      statusDue = now.advanced(seconds: Self.statusSeconds)
      try statusCall.startCall(GatewayMethodName.status)
    }
    return []
  }
}
