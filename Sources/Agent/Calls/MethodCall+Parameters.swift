// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Registry
import Setup
import Varlink

extension MethodCall {
  /// The session that the call names, for the owner that opened it.
  func session() throws(SetupError) -> Session {
    try agent.setupCore.session(parameters.word("session"), of: client.peer.owner)
  }

  /// The same for a call that asks the operators. The call is counted, also when it is refused for what it says.
  func askingSession() throws(SetupError) -> Session {
    let session = try session()
    try agent.setupCore.paceCall(ofApp: session.app)
    return session
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
