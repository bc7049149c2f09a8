// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Registry
import RegistryFormat
import Setup
import Varlink

extension AgentCore {
  /// Starts a call of `io.accessoryd.Operator`.
  func start(_ method: OperatorMethodName, _ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (parameters, client) = (call.parameters, call.client)
    let (request, accessory) = (parameters.word("request"), parameters.word("accessory"))
    switch method {
    case .watch:
      let capabilities = try PersonCapabilities(parameters)
      return .stream(
        RequestStream(
          capabilities: client.rights.isOperator ? capabilities : [], visibleApps: client.rights.visibleApps))
    case .choose:
      let candidate = (try? parameters.integerIfPresent("candidate")) ?? 0
      guard let number = UInt32(exactly: candidate) else {
        throw .notFound(.candidate, name: "\(candidate)")
      }
      let replaces = parameters.wordIfAny("replaces")
      guard replaces == nil || client.rights.isOperator else { return refuseReplacement(by: client) }
      let effects = try setupCore.choose(
        request, candidate: number, name: parameters.wordIfAny("name"), ssid: parameters.wordIfAny("ssid"),
        replaces: replaces, capability: operatorCapability, call.id)
      return pending(call, effects, milliseconds: Patience.choiceMilliseconds)
    case .answerPairing:
      return done(
        try setupCore.answerPairing(
          request, matches: parameters["matches"].map { $0 == .bool(true) },
          digits: parameters.wordIfAny("digits")))
    case .pair:
      let (request, effects) = try setupCore.pairAgain(accessory, capability: operatorCapability)
      follow(effects)
      return .stream(RenewalStream(request: request, startedAt: now), first: Message.line(request: request))
    case .replace:
      let (request, effects) = try setupCore.replace(
        accessory, with: try SetupCore.Opening.device(parameters), settings: try PickerSettings(parameters))
      return follow(request, effects)
    case .deny: return done(try setupCore.deny(request))
    case .cancel: return done(try setupCore.cancel(request))
    case .name: return pending(call, try setupCore.name(request, parameters.word("name"), call.id))
    case .agree:
      let known = setupLink.knownDevices
      if setupCore.needsKnownDevices(toAgreeTo: request), !known.isFresh(at: now) {
        return readKnownDevices(for: call)
      }
      return pending(call, try setupCore.agree(request, among: known.devices, call.id))
    case .open:
      let (request, effects) = try setupCore.open(try SetupCore.Opening(parameters))
      return follow(request, effects)
    case .list:
      // An empty list would say that no app has an accessory.
      try setupCore.requireReadableRegistry()
      let app = parameters.wordIfAny("app")
      if let app { try setupCore.requireApp(app) }
      return .stream(
        AccessoryStream(
          apps: app.map { [$0] } ?? client.rights.visibleApps, follows: parameters.isSet("follows")))
    case .rename: return pending(call, try setupCore.rename(accessory, parameters.word("name"), call.id))
    case .remove:
      let effects = try setupCore.remove(accessory, call.id)
      enqueue(.log(.accessoryRemoved(user: client.peer.uid, accessory)))
      return pending(call, effects)
    case .disconnect: return try disconnect(accessory)
    case .allow:
      let app = parameters.word("app")
      return pending(call, try setupCore.allow(app: app, device: parameters.word("device"), call.id))
    case .authorize: return pending(call, try setupCore.authorize(app: parameters.word("app"), call.id))
    case .registry: return .stream(RegistryStream(), first: Message.line(registryLine))
    case .export: return try export(parameters, client)
    case .import: return try importRegistry(call)
    case .importBond: return try importBond(call)
    case .reset:
      enqueue(.log(.registryReset(user: client.peer.uid)))
      return pending(call, setupCore.resetRegistry(call.id))
    }
  }

  /// Tells an operator how a request goes on that it has opened.
  private func follow(_ request: RandomIdentifier, _ effects: [SetupEffect]) -> CallOutcome {
    follow(effects)
    setupLink.refreshAtOnce()
    return .stream(OpenedRequestStream(request: request), first: Message.line(request: request))
  }

  /// A bridge may choose accessories, and not give one another device.
  private func refuseReplacement(by client: Client) -> CallOutcome {
    counters.clients.permissionsDenied &+= 1
    return .refusal(
      Message.error(
        ServiceError.permissionDenied(
          reason: "user \(client.peer.uid) is a bridge, and a bridge may not replace accessories",
          cure: "an operator does it with accessoryctl replace, or leave replaces out")))
  }

  private var registryLine: RegistryLine {
    RegistryLine(
      state: setupCore.isOpening ? .opening : setupCore.degradation == nil ? .open : .degraded,
      sentence: setupCore.degradation, accessories: setupCore.registry.accessories.count)
  }

  // MARK: - Connections

  /// Ends the connection of an app to its accessory.
  private func disconnect(_ name: String) throws(OperatorError) -> CallOutcome {
    // Connections end although the registry's file cannot be written.
    try setupCore.requireReadableRegistry()
    guard let identifier = RandomIdentifier(text: name),
      let accessory = setupCore.registry.accessory(identifier)
    else { throw .notFound(.accessory, name: name) }
    let link = links.link(of: accessory.identifier)
    if let link, link.isConnecting {
      updateLinks { $0.end(.operator, at: now) { $0.id == link.id } }
      return .done
    }
    // An agent that was killed has left connections that this one does not know.
    let device = setupCore.registry.device(of: accessory)
    guard radio.link == .shared, let address = link?.address ?? (try? currentAddress(of: device))
    else { throw .notDisconnected(accessory.identifier, .notConnected) }
    let number = updateLinks { links in
      links.end(.operator, at: now) { $0.id == link?.id }
      return links.commands.ask(.disconnect, address, at: now)
    }
    return .stream(
      DisconnectionStream(
        accessory: accessory.identifier, number: number, wasConnected: link != nil, startedAt: now))
  }

  // MARK: - The registry and its keys

  /// The registry as it is when the call comes, as lines. Changes that are made while a client reads are not in them. A
  /// registry that was never read is refused, because the lines would seem to say that it is empty.
  private func export(_ parameters: Parameters, _ client: Client) throws(OperatorError) -> CallOutcome {
    let includesKeys = (try? parameters.bool("includesKeys")) ?? false
    guard !includesKeys || client.rights.mayHandleKeys else { return refuseKeys(to: client) }
    try setupCore.requireReadableRegistry()
    if includesKeys { enqueue(.log(.keysExported(user: client.peer.uid))) }
    return .stream(
      ExportStream(lines: RegistryExport(setupCore.registry, includesKeys: includesKeys)))
  }

  /// Receives some lines, and with `commits` replaces the registry by all of them.
  private func importRegistry(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (client, parameters) = (call.client, call.parameters)
    try setupCore.requireRegistryForOperators()
    if (try? parameters.bool("begins")) ?? false { try beginImport(client) }
    guard client.registryImport != nil else {
      throw .invalid(field: "begins", reason: "no import was begun on this connection")
    }
    do throws(OperatorError) {
      try client.registryImport?.append((try? parameters.strings("lines")) ?? [], at: now)
      guard (try? parameters.bool("commits")) ?? false else { return .done }
      let registry = try AccessoryRegistry(importing: client.registryImport?.lines ?? [])
      client.registryImport = nil
      let mayHandleKeys = client.rights.mayHandleKeys
      guard mayHandleKeys || registry.keyedDeviceCount == 0 else { return refuseKeys(to: client) }
      return pending(
        call,
        try setupCore.replaceRegistry(registry, takesKeys: mayHandleKeys, for: client.peer.uid, call.id))
    } catch {
      client.registryImport = nil
      throw error
    }
  }

  private func beginImport(_ client: Client) throws(OperatorError) {
    for other in clients.connected where other !== client {
      guard let others = other.registryImport else { continue }
      guard others.isIdle(at: now) else {
        throw .invalid(field: "begins", reason: "another import is going on")
      }
      other.registryImport = nil
    }
    client.registryImport = RegistryImporting(at: now)
  }

  /// A bond that bluetoothd has made is taken over. Nothing of the keys is repeated in an error.
  private func importBond(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    guard call.client.rights.mayHandleKeys else { return refuseKeys(to: call.client) }
    let (identity, record) = try BondRecord.imported(call.parameters)
    guard record.owner == .bluetoothd || !isBluetoothdRunning else {
      throw .invalid(
        field: "owner",
        reason:
          "bluetoothd runs on the adapter, and both programs would use the bond; stop and disable bluetoothd "
          + "(systemctl disable --now bluetooth), or leave the bond to it and import only the identity key")
    }
    let effects = try setupCore.importBond(identity, record, takesKeys: true, call.id)
    enqueue(.log(.bondImported(user: call.client.peer.uid, identity)))
    return pending(call, effects)
  }

  /// A member of the group accessory may choose accessories, and not take their keys away.
  private func refuseKeys(to client: Client) -> CallOutcome {
    counters.clients.permissionsDenied &+= 1
    return .refusal(
      Message.error(
        ServiceError.permissionDenied(
          reason: "user \(client.peer.uid) may not handle the keys of bonds",
          cure: "do it as root or with the agent's own account, or leave the keys out")))
  }
}

/// One line a reply.
private struct ExportStream: ReplyStream {
  var lines: RegistryExport

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard let line = lines.next() else { return .end(Message.reply()) }
    return .reply(Message.reply(continues: true) { $0.member("line", line) })
  }
}

extension Message {
  /// The first reply to a call that has opened a request.
  fileprivate static func line(request: RandomIdentifier) -> [UInt8] {
    reply(continues: true) { $0.member("request", request.text) }
  }
}

extension AccessoryRegistry {
  fileprivate init(importing lines: [String]) throws(OperatorError) {
    do throws(RegistryImportError) { self = try RegistryImport.read(lines) } catch {
      throw .invalid(field: "lines", reason: error.reason)
    }
  }
}
