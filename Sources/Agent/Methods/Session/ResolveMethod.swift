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
