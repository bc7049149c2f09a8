// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Varlink

/// `Resolve`: the address of an accessory, for an app that connects to it.
enum ResolveMethod: SessionMethod {
  static let name = SessionMethodName.resolve

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let agent = call.agent
    let session = try call.session()
    let accessory = try call.accessory(of: session)
    let (device, effects) = try agent.setupCore.resolve(accessory, for: session)
    agent.follow(effects)
    let current = try agent.currentAddress(of: device)
    return .reply(
      Message.reply { json in
        json.member("address", AddressText.text(of: current.bits))
        json.member("addressType", current.type == .public ? "public" : "random")
      })
  }
}

extension AgentCore {
  /// The address that a registered device has now: a device that changes it is where it was heard last. The kernel
  /// knows one with a bond, even a lost one, by its identity.
  func currentAddress(of device: RegistryDevice) throws(SetupError) -> DeviceAddress {
    guard let identity = device.identity.address else { throw .noSession }
    guard device.bond == .none, let row = dataPath.row(of: device) else { return identity.settled }
    return (dataPath.pipeline.device(at: row)?.address ?? identity).settled
  }
}
