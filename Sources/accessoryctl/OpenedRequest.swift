// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// A request to open on an app's behalf, and how it goes on without a screen.
struct RequestOpening {
  let app: String
  var method = OperatorMethodName.open
  /// The name for the accessory.
  var name: String?
  /// What it waits for, as a sentence for the operator.
  var awaited: String
  var items: [String] = []
  var network: AirText?
  /// Digits can be read and typed, although there is no terminal.
  var isAnswered = false
  let writeParameters: (inout JSONWriter) -> Void
}

/// A request on an app's behalf. It ends with its connection.
final class OpenedRequest {
  let app: String
  /// The agent's identifier of the request.
  let request: String
  /// When it was opened.
  let start: MonotonicInstant
  private(set) var accessories: [PickedAccessory] = []
  private(set) var isOver = false
  private var connection: GatewayConnection

  init(path: String, _ opening: RequestOpening) throws(AgentCallError) {
    var connection = try GatewayConnection(path: path)
    try connection.startCall(opening.method, opening.writeParameters)
    guard let reply = try connection.nextReply(), case .request(let request) = try OpenReply(reply) else {
      throw .stream(.notAReply)
    }
    do throws(SystemError) { start = try .now() } catch { throw .system(error) }
    app = opening.app
    self.request = request
    self.connection = connection
  }

  var entry: Polling.Entry { connection.entry }

  /// Sends and receives what the connection is ready for.
  func advance(_ readiness: Readiness) throws(AgentCallError) {
    if !readiness.isEmpty { try connection.exchange(readiness) }
    while !isOver, let reply = try connection.receivedReply() {
      switch try OpenReply(reply) {
      case .request: continue
      case .accessory(let identifier, let displayName, let method, let isBondAuthenticated):
        accessories.append(
          PickedAccessory(
            app: app, identifier: identifier, displayName: displayName, pairing: method,
            isBondAuthenticated: isBondAuthenticated))
      case .end: isOver = true
      }
      if !reply.continues { isOver = true }
    }
  }

  /// Names the first accessory, because its setup did not ask for a name. Other apps that have the device get the name
  /// too, with a message.
  func nameFirst(_ name: String, path: String) throws(AgentCallError) {
    guard let accessory = accessories.first, accessory.displayName != name else { return }
    var connection = try GatewayConnection(path: path)
    let all = try connection.accessories()
    let others =
      all.first { $0.identifier == accessory.identifier }.map { $0.otherApps(among: all) } ?? ""
    try connection.startCall(OperatorMethodName.rename) { json in
      json.member("accessory", accessory.identifier)
      json.member("name", name)
    }
    try connection.onlyReply(within: OperatorMethodName.rename.patienceSeconds) { _ throws(JSONMemberError) in
    }
    accessories[0].displayName = name
    if !others.isEmpty { StandardError.say("the device is called \(quoted(name)) for \(others), too") }
  }
}

/// An accessory that was set up: a line of `pick --app NAME --json` (`Config/schema/picked.schema.json`).
struct PickedAccessory: Line {
  let app: String
  let identifier: String
  var displayName: String
  /// How the device was paired; nil when it was not, or had its bond before.
  let pairing: PairingMethod?
  /// nil without a bond.
  let isBondAuthenticated: Bool?

  func writeMembers(to json: inout JSONWriter) {
    json.member("app", app)
    json.member("accessory", identifier)
    json.member("displayName", displayName)
    if let pairing { json.member("pairing", pairing.rawValue) }
    if let isBondAuthenticated { json.member("isBondAuthenticated", isBondAuthenticated) }
  }

  /// One line for operators.
  var text: String {
    let bond = pairing.map {
      "; \(PairingSentences.result($0, isAuthenticated: isBondAuthenticated ?? false))"
    }
    return "\(shown(displayName)) (\(shown(app))): \(shown(identifier))\(bond ?? "")\n"
  }
}
