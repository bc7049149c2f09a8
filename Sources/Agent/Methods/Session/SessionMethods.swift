// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Discovery
import HCI
import JSON
import Manifest
import Registry
import Setup
import Varlink

/// `Invalidate`: ends the session.
enum InvalidateMethod: SessionMethod {
  static let member = "Invalidate"

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    call.agent.follow(call.agent.setupCore.invalidate(session))
    return .done
  }
}

/// `List`: the accessories of the session's app.
enum ListAppAccessoriesMethod: SessionMethod {
  static let member = "List"
  static let replies = ReplyCount.many

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    .stream(AppAccessoryStream(app: try call.session().app))
  }
}

/// One accessory a reply.
private struct AppAccessoryStream: ReplyStream {
  let app: String
  /// The number in the registry of the last accessory that was sent.
  private var last: Int64 = 0

  init(app: String) { self.app = app }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard let next = agent.setupCore.accessory(ofApp: app, after: last) else { return .end(Message.reply()) }
    last = next.number
    return .reply(Message.element("accessory", AppAccessoryLine(next.accessory)))
  }
}

/// `Resolve`: the address of an accessory, for an app that connects to it.
enum ResolveMethod: SessionMethod {
  static let member = "Resolve"

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let agent = call.agent
    let accessory = try call.accessory(of: try call.session())
    let (device, effects) = try agent.setupCore.resolve(accessory)
    agent.follow(effects)
    guard let address = device.identity.address else { throw .noSession }
    // A device that changes its address is where it was heard last.
    let current =
      agent.dataPath.row(of: device).map { agent.dataPath.pipeline.device(at: $0)?.address ?? address }
      ?? address
    return .reply(
      Message.reply { json in
        json.member("address", AddressText.text(of: current.bits))
        json.member("addressType", current.settled.type == .public ? "public" : "random")
      })
  }
}

extension MethodCall {
  /// The session that the call names, for the user that opened it.
  func session() throws(SetupError) -> Session {
    try agent.setupCore.session(parameters.word("session"), of: client.peer.uid)
  }

  /// The accessory that the call names. An identifier that the session's app does not have is counted and logged.
  func accessory(of session: Session) throws(SetupError) -> RegistryAccessory {
    let identifier = parameters.word("accessory")
    if let accessory = agent.setupCore.accessory(identifier, of: session) { return accessory }
    agent.follow(agent.setupCore.refuseUnknownIdentifier(of: session))
    throw .noSuchAccessory
  }

  /// The session's app in the manifest.
  func app(of session: Session) throws(SetupError) -> App {
    guard let app = agent.setupCore.app(session.app) else { throw .noSession }
    return app
  }
}

extension Parameters {
  /// A parameter whose type was checked against the interface.
  func word(_ name: String) -> String { wordIfAny(name) ?? "" }

  func wordIfAny(_ name: String) -> String? { (try? stringIfPresent(name)) ?? nil }

  /// Nil for what cannot be a count.
  func numberIfAny(_ name: String) -> UInt64? {
    guard let number = (try? integerIfPresent(name)) ?? nil else { return nil }
    return UInt64(exactly: number) ?? .max
  }
}
