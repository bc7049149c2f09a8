// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import DeviceLines
import Interfaces
import Manifest
import Registry
import Setup
import Varlink
import Wireless

/// `List`: the accessories of every app, or of one.
enum ListAccessoriesMethod: OperatorMethod {
  static let name = OperatorMethodName.list
  static let bridgeRight = BridgeRight.always

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let agent = call.agent
    // An empty list would say that no app has an accessory.
    try agent.setupCore.requireReadableRegistry()
    let app = call.parameters.wordIfAny("app")
    if let app { try agent.setupCore.requireApp(app) }
    return .stream(AccessoryStream(apps: app.map { Set([$0]) } ?? call.client.rights.visibleApps))
  }
}

/// One accessory a reply.
private struct AccessoryStream: ReplyStream {
  /// nil for all.
  let apps: Set<String>?
  /// The number in the registry of the last accessory that was sent.
  private var last: Int64 = 0

  init(apps: Set<String>?) { self.apps = apps }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    let apps = apps
    guard let next = agent.setupCore.registry.accessory(after: last, where: { apps.includes($0.app) }) else {
      return .end(Message.reply())
    }
    last = next.number
    return .reply(Message.element("accessory", agent.line(of: next)))
  }
}

extension AgentCore {
  fileprivate func line(of accessory: RegistryAccessory) -> AccessoryLine {
    let device = setupCore.registry.device(of: accessory)
    let heard = dataPath.row(of: device)
    let row = heard.flatMap { row in dataPath.isFound(at: row) ? row : nil }
    let network = device.identity.ssid.flatMap { networkInSight($0) }
    let status = setupCore.status(of: accessory)
    var line = AccessoryLine(
      identifier: accessory.identifier.text, app: accessory.app, item: accessory.item,
      displayName: device.displayName,
      state: status == .orphaned ? .unauthorized : AccessoryLine.State(accessory.state),
      status: status,
      address: device.identity.address, ssid: accessory.ssid.map { AirText($0) },
      bond: BondState(device.bond),
      isIdentityDurable: device.isIdentityDurable,
      isInSight: row != nil || network != nil,
      isHeard: heard != nil && row == nil && network == nil ? true : nil,
      filteredRSSI: row.flatMap { dataPath.pipeline.device(at: $0)?.signal.filteredRSSI } ?? network?.signal,
      addedAt: accessory.addedAt)
    line.connection = links.link(of: accessory.identifier).map { $0.isConnecting ? .connecting : .connected }
    line.bondOwner = device.bond.record?.owner
    line.isBondAuthenticated = device.bond.record?.isAuthenticated
    if setupCore.lacksAuthenticatedBond(device) { line.lacksAuthenticatedBond = true }
    if case .lost = device.bond {
      line.pairingNote = pairingNote(ofInputDevices: setupCore.isInputDevice(device))
    }
    return line
  }
}

extension AccessoryLine.State {
  fileprivate init(_ state: AccessoryState) {
    switch state {
    case .unauthorized: self = .unauthorized
    case .awaitingAuthorization: self = .awaitingAuthorization
    case .authorized: self = .authorized
    }
  }
}
