// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Setup
import Varlink

// From a call to its method, and from a method to its replies.

extension AgentCore {
  /// Starts a call that a client has sent.
  func dispatch(_ call: Call, of client: Client) {
    if case .turnedAway(let error) = client.place { return turnAway(client, error) }
    // A caller without the right to a method does not learn what is wrong with the call.
    let isForOperators = AgentMethod.operatorInterfaces.contains(call.interface)
    if isForOperators {
      let right = AgentMethod(rawValue: call.fullName)?.bridgeRight ?? .never
      guard client.rights.mayCall(right) else {
        counters.clients.permissionsDenied &+= 1
        return refuse(client, Message.error(ServiceError.operatorsOnly(client, right)))
      }
    }
    client.callsAsBridge = isForOperators && !client.rights.isOperator
    switch service.dispatch(call) {
    case .reply(let message): client.connection.reply(message)
    case .refuse(let error): refuse(client, Message.error(error))
    case .perform(let method, let parameters): start(method, parameters, of: client)
    }
  }

  /// Refuses the first call of a peer that is turned away, and closes its connection.
  private func turnAway(_ client: Client, _ error: AdmissionError) {
    switch error {
    case .unknownAccount:
      counters.clients.permissionsDenied &+= 1
      refuse(client, Message.error(ServiceError.unknownAccount(client.peer.uid)))
    case .full, .userFull: refuse(client, tooManyConnections(error).message)
    }
    client.connection.finish()
  }

  private func tooManyConnections(_ lack: AdmissionError) -> GatewayError {
    .tooManyConnections(isOfUser: lack == .userFull, limit: Int(clients.limit(for: lack)))
  }

  /// Starts a method, or keeps the call until the registry's file was read.
  func start(_ method: AgentMethod, _ parameters: Parameters, of client: Client) {
    if case .reserved(let lack) = client.place, method.lastsUntilClosed(parameters) {
      refuse(client, tooManyConnections(lack).message)
      return client.connection.finish()
    }
    if setupCore.isOpening, let timeout = method.diskTimeout {
      let end = now.advanced(milliseconds: Patience.diskMilliseconds)
      client.stream = DeferredCall(method: method, parameters: parameters, end: end, timeout: timeout)
      return
    }
    if postpone(method, parameters, of: client) { return }
    // What belongs to other apps does not exist for a bridge.
    setupCore.visibleApps = client.callsAsBridge ? client.rights.visibleApps : nil
    defer { setupCore.visibleApps = nil }
    clients.pendingCallCount += 1
    let call = MethodCall(
      method: method, client: client, parameters: parameters, id: CallID(clients.pendingCallCount))
    switch outcome(of: call) {
    case .reply(let message): client.connection.reply(message)
    case .stream(let stream, let first): (client.stream, client.unsentReply) = (stream, first)
    case .refusal(let message): refuse(client, message)
    }
  }

  private func outcome(of call: MethodCall) -> CallOutcome {
    switch call.method {
    case .gateway(let name): .of { () throws(GatewayError) in try start(name, call) }
    case .session(let name): .of { () throws(SetupError) in try start(name, call) }
    case .operator(let name): .of { () throws(OperatorError) in try start(name, call) }
    }
  }

  /// Performs what a call causes, and replies that it was done.
  func done(_ effects: [SetupEffect]) -> CallOutcome {
    follow(effects)
    return .done
  }

  /// Performs what a call causes that is decided later.
  func pending(
    _ call: MethodCall, _ effects: [SetupEffect], milliseconds: Int64 = Patience.diskMilliseconds
  ) -> CallOutcome {
    follow(effects)
    return .stream(
      PendingReply(method: call.method, callID: call.id, end: now.advanced(milliseconds: milliseconds)))
  }

  private func refuse(_ client: Client, _ message: [UInt8]) {
    counters.clients.callsRefused &+= 1
    client.connection.reply(message)
  }

  /// Starts the calls that waited for the registry's file.
  func startDeferredCalls() {
    for client in clients.connected {
      guard let deferred = client.stream as? DeferredCall else { continue }
      client.stream = nil
      start(deferred.method, deferred.parameters, of: client)
    }
  }

  /// Counts a call that finds as many of its kind going on as there may be.
  func refuseAsBusy(limit: Int) -> GatewayError {
    counters.clients.busy &+= 1
    return .busy(limit: limit)
  }

  /// Ends the call that waits for this answer. A caller that has left, or whose call has timed out, gets nothing.
  func complete(_ callID: CallID, _ result: Result<CallResult, OperatorError>) {
    guard
      let client = clients.connected.first(where: { ($0.stream as? PendingReply)?.callID == callID })
    else { return }
    client.stream = nil
    switch result {
    case .success(let answer): client.connection.reply(answer.message(epoch: epochText))
    case .failure(let refusal): refuse(client, refusal.message)
    }
  }
}

extension ServiceError {
  /// At an app's own socket even root and operators are refused, and learn where they would not be.
  fileprivate static func operatorsOnly(_ client: Client, _ right: BridgeRight) -> Self {
    let peer = client.peer
    if let bridge = client.rights.bridge {
      guard case .with(let right) = right else {
        return .permissionDenied(
          reason: "user \(peer.uid) is the bridge \(bridge.name), and a bridge may not call this method",
          cure: "an operator calls it")
      }
      return .permissionDenied(
        reason: "the bridge \(bridge.name) may not \(right.rawValue)",
        cure:
          "add \"\(right.rawValue)\" to may in [bridge.\(bridge.name)] of the manifest, and run accessoryctl reload"
      )
    }
    guard let app = peer.app else {
      return .permissionDenied(
        reason: "user \(peer.uid) is no operator, and only operators may call this method",
        cure:
          "operators are root and the members of the group accessory (usermod -aG accessory NAME, then log in again)"
      )
    }
    return .permissionDenied(
      reason:
        "this socket belongs to the app \(app.quotedForDisplay), and every program here is that app alone",
      cure: "an operator calls this method at the agent's own socket")
  }

  /// The manifest has another table for the bridge, or none.
  static let bridgeChanged = Self.permissionDenied(
    reason: "a reload of the manifest has changed what this bridge may see or do", cure: "call again")

  fileprivate static func unknownAccount(_ user: UInt32) -> Self {
    .permissionDenied(
      reason:
        "user \(user) is no operator, and no app or bridge of the gateway's manifest belongs to this account",
      cure:
        "name the account as `user` or `group` of an app, or as `user` of a bridge, in the manifest and run accessoryctl reload; "
        + "operators are root and the members of the group accessory")
  }
}
