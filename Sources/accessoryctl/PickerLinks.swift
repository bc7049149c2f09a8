// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import PickerScreen
import ToolText
import Varlink

/// The connections of a picker: what waits, how the agent is, the request on an app's behalf, and decisions on their way.
struct PickerLinks: ~Copyable {
  /// What came over them.
  enum Arrival {
    case reply(PickerReply)
    case status(StatusLine)
    case answer(PickerAnswer, PickerAction)
  }

  /// The agent is asked so often how it is.
  private static let pulseSeconds = 4

  private let path: String
  private var watch: GatewayConnection
  private var pulse: GatewayConnection
  private var pulseDue: MonotonicInstant
  let opened: OpenedRequest?
  private var acts: [PickerAct] = []
  /// How the agent was at the start.
  let status: StatusLine

  /// Asks for everything, and waits for the first answers.
  init(path: String, _ options: PickOptions) throws(GatewayProblem) {
    var pulse = try GatewayConnection(path: path)
    try pulse.begin(GatewayMethodName.status)
    let status = try pulse.one { line throws(JSONMemberError) in try StatusLine(reading: line) }
    let pulseDue = try Self.later(Self.pulseSeconds)
    var opened: OpenedRequest?
    if let app = options.app { opened = try OpenedRequest(path: path, app: app, options) }
    var watch = try GatewayConnection(path: path)
    try watch.begin(OperatorMethodName.watch)
    self.path = path
    self.status = status
    self.pulse = pulse
    self.pulseDue = pulseDue
    self.opened = opened
    self.watch = watch
  }

  private static func later(_ seconds: Int) throws(GatewayProblem) -> MonotonicInstant {
    do throws(SystemError) { return try .now().advanced(seconds: seconds) } catch { throw .system(error) }
  }

  /// What is to be waited for, in the order that ``advance(_:at:)`` wants it.
  var entries: [Polling.Entry] {
    [watch.entry, pulse.entry] + (opened.map { [$0.entry] } ?? []) + acts.map(\.entry)
  }

  /// Sends a decision on its way.
  mutating func begin(_ action: PickerAction) -> Arrival? {
    guard acts.count < PickerAct.countMax else {
      return .answer(.failed("too much is on its way to the agent; wait", cure: nil), action)
    }
    do throws(GatewayProblem) {
      acts.append(try PickerAct(action, path: path))
      return nil
    } catch {
      return .answer(error.answer(at: path), action)
    }
  }

  /// Goes on with what the connections are ready for.
  mutating func advance(_ ready: ArraySlice<Readiness>, at now: MonotonicInstant) throws(GatewayProblem)
    -> [Arrival]
  {
    var ready = ready
    var arrivals = try advanceWatch(ready.popFirst() ?? [])
    arrivals += try advancePulse(ready.popFirst() ?? [], at: now)
    let openedReadiness = opened == nil ? [] : ready.popFirst() ?? []
    var kept: [PickerAct] = []
    for act in acts {
      do throws(GatewayProblem) {
        guard let answer = try act.advance(ready.popFirst() ?? [], at: now) else {
          kept.append(act)
          continue
        }
        arrivals.append(.answer(answer, act.action))
      } catch {
        arrivals.append(.answer(error.answer(at: path), act.action))
      }
    }
    acts = kept
    try opened?.advance(openedReadiness)
    return arrivals
  }

  private mutating func advanceWatch(_ readiness: Readiness) throws(GatewayProblem) -> [Arrival] {
    if !readiness.isEmpty { try watch.exchange(readiness) }
    var arrivals: [Arrival] = []
    while let reply = try watch.taken() { arrivals.append(.reply(try PickerReply(reply))) }
    return arrivals
  }

  private mutating func advancePulse(_ readiness: Readiness, at now: MonotonicInstant) throws(GatewayProblem)
    -> [Arrival]
  {
    if !readiness.isEmpty { try pulse.exchange(readiness) }
    if let reply = try pulse.taken() {
      do throws(JSONMemberError) {
        return [.status(try StatusLine(reading: JSONObjectReader(reply.parameters)))]
      } catch {
        throw .line(error)
      }
    }
    if now >= pulseDue, !pulse.isWaiting {
      pulseDue = now.advanced(seconds: Self.pulseSeconds)
      try pulse.begin(GatewayMethodName.status)
    }
    return []
  }
}
