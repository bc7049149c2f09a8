// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import JSON
import Setup
import Varlink

// The methods that hand an operator's decision to the setups, and nothing more.

/// `Agree`: an operator agrees to what an app asks for an accessory that it has.
enum AgreeMethod: OperatorMethod {
  static let name = OperatorMethodName.agree

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let request = call.parameters.word("request")
    let (agent, known) = (call.agent, call.agent.setupLink.knownDevices)
    if agent.setupCore.needsKnownDevices(toAgreeTo: request), !known.isFresh(at: agent.now) {
      return agent.readKnownDevices(for: call, of: Self.self)
    }
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.agree(request, among: known.devices, id)
    }
  }
}

/// `Allow`: an operator lets automatic setup take a device again that was removed.
enum AllowMethod: OperatorMethod {
  static let name = OperatorMethodName.allow

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (app, device) = (call.parameters.word("app"), call.parameters.word("device"))
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.allow(app: app, device: device, id)
    }
  }
}

/// `AnswerPairing`: an operator gives the pairing of a device what it asks for.
enum AnswerPairingMethod: OperatorMethod {
  static let name = OperatorMethodName.answerPairing

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let agent = call.agent
    let matches = call.parameters["matches"].map { $0 == .bool(true) }
    agent.follow(
      try agent.setupCore.answerPairing(
        call.parameters.word("request"), matches: matches, digits: call.parameters.wordIfAny("digits")))
    return .done
  }
}

/// `Authorize`: an operator confirms that an app's accessories belong to its new account.
enum AuthorizeMethod: OperatorMethod {
  static let name = OperatorMethodName.authorize

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let app = call.parameters.word("app")
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.authorize(app: app, id)
    }
  }
}

/// `Cancel`: an operator closes a request without a choice.
enum CancelMethod: OperatorMethod {
  static let name = OperatorMethodName.cancel
  static let bridgeRight = BridgeRight.with(.pick)

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    call.agent.follow(try call.agent.setupCore.cancel(call.parameters.word("request")))
    return .done
  }
}

/// `Deny`: an operator turns a request down.
enum DenyMethod: OperatorMethod {
  static let name = OperatorMethodName.deny
  static let bridgeRight = BridgeRight.with(.pick)

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    call.agent.follow(try call.agent.setupCore.deny(call.parameters.word("request")))
    return .done
  }
}

/// `Name`: an operator names the accessory that is being set up, or renamed.
enum NameMethod: OperatorMethod {
  static let name = OperatorMethodName.name
  static let bridgeRight = BridgeRight.with(.pick)

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (request, name) = (call.parameters.word("request"), call.parameters.word("name"))
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.name(request, name, id)
    }
  }
}

/// `Remove`: an operator removes an accessory.
enum RemoveMethod: OperatorMethod {
  static let name = OperatorMethodName.remove
  static let bridgeRight = BridgeRight.with(.remove)

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let accessory = call.parameters.word("accessory")
    let outcome = try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.remove(accessory, id)
    }
    call.agent.enqueue(.log(.accessoryRemoved(user: call.client.peer.uid, accessory)))
    return outcome
  }
}

/// `Rename`: an operator renames an accessory.
enum RenameMethod: OperatorMethod {
  static let name = OperatorMethodName.rename
  static let bridgeRight = BridgeRight.with(.rename)

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (accessory, name) = (call.parameters.word("accessory"), call.parameters.word("name"))
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.rename(accessory, name, id)
    }
  }
}

/// `Reset`: puts an empty registry in the place of one that cannot be read.
enum ResetMethod: OperatorMethod {
  static let name = OperatorMethodName.reset

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    call.agent.enqueue(.log(.registryReset(user: call.client.peer.uid)))
    return try startPending(call) { (setup, id) in setup.resetRegistry(id) }
  }
}
