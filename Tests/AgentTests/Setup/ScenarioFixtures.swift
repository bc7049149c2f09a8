// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Manifest
import VirtualRadio

extension AccessList {
  /// Root is an operator; user 1000 is the app "lights", user 1001 the app "garden".
  static var twoApps: Self {
    var access = AccessList(operatorUsers: [0, 990], operatorGroups: [50], overflowUser: 65_534)
    access.appsOfUser = [1000: ["lights"], 1001: ["garden"]]
    return access
  }
}

extension GatewayManifest {
  /// One app with one item.
  static func lights(_ change: (inout DisplayItem) -> Void) -> GatewayManifest {
    GatewayManifest.lights.with { manifest in
      var item = DisplayItem.bulb
      change(&item)
      manifest.apps[0].items = [item]
    }
  }

  /// Two apps that look for the same bulbs.
  static var lightsAndGarden: GatewayManifest {
    GatewayManifest.lights { _ in }.with { manifest in
      var garden = manifest.apps[0]
      garden.name = "garden"
      garden.account = .user("garden")
      garden.items[0].id = "lamp"
      garden.items[0].name = "Garden lamp"
      manifest.apps.append(garden)
    }
  }
}

extension SceneDevice {
  /// A bulb that is present between two seconds only.
  static func bulb(_ number: UInt64, level: Int = -60, from start: Int64, to end: Int64 = 100_000)
    -> SceneDevice
  {
    var device = SceneDevice.bulb(number, level: level)
    device.presence = [.seconds(start, end)]
    return device
  }
}
