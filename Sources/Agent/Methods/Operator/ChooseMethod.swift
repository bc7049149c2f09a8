// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Registry
import Setup
import Varlink

/// `Choose`: an operator chooses a candidate, or the network of an item without Bluetooth.
enum ChooseMethod: OperatorMethod {
  static let name = OperatorMethodName.choose
  static let bridgeRight = BridgeRight.with(.pick)

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let parameters = call.parameters
    let capability = call.agent.operatorCapability
    return try startPending(call, milliseconds: Patience.choiceMilliseconds) {
      (setup, id) throws(OperatorError) in
      let candidate = (try? parameters.integerIfPresent("candidate")) ?? 0
      guard let number = UInt32(exactly: candidate) else {
        throw .notFound(.candidate, name: "\(candidate)")
      }
      return try setup.choose(
        parameters.word("request"), candidate: number, name: parameters.wordIfAny("name"),
        ssid: parameters.wordIfAny("ssid"), capability: capability, id)
    }
  }
}

extension SetupReply {
  init(_ setup: CompletedSetup) {
    self.init(
      accessory: setup.accessory.text, displayName: setup.displayName, awaitsApp: setup.awaitsApp,
      finishesInApp: setup.finishesInApp)
    pairing = setup.pairing
    isBondAuthenticated = setup.isBondAuthenticated
  }
}
