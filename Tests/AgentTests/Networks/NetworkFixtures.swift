// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
@testable import AgentRuntime
import HCI
import JSON
import Manifest
import Varlink
import Wireless

/// A network that a scan has found.
struct HeardNetwork {
  var name: [UInt8]
  var signal: Int8
  var security = WirelessSecurity.wpa2
  /// Distinguishes radios that send the same name.
  var radio: UInt64 = 1

  init(_ name: [UInt8], signal: Int8 = -50) {
    self.name = name
    self.signal = signal
  }

  init(_ name: String, signal: Int8 = -50) { self.init(Array(name.utf8), signal: signal) }
}

extension AgentHarness {
  func updateNetworks(_ change: (inout NetworkTable) -> Void) {
    agent.updateNetworks(at: now, change)
    turn()
  }
}

extension SocketHarness {
  func updateNetworks(_ change: (inout NetworkTable) -> Void) {
    loop.context.agent.updateNetworks(at: now, change)
    settle()
    listen()
  }
}

extension SetupScenario {
  /// A scan ends now, and has found these. Then `seconds` pass.
  func scan(_ networks: HeardNetwork..., wait seconds: Double) {
    harness.scan(networks)
    run(seconds: seconds)
  }
}

extension ScenarioHarness {
  func scan(_ networks: HeardNetwork...) { scan(networks) }

  /// A scan ends now, and has found these.
  func scan(_ networks: [HeardNetwork]) {
    let now = now
    updateNetworks { table in
      for (index, network) in networks.enumerated() {
        guard let name = NetworkName(network.name) else { preconditionFailure("a name has up to 32 bytes") }
        table.insert(
          WirelessNetwork(
            bssid: BSSID(bits: network.radio << 16 | UInt64(index)), name: name,
            frequencyMegahertz: 2412, signal: network.signal, security: network.security, lastSeen: now))
      }
      table.append(CompletedScan(startedAt: now, completedAt: now))
      _ = table.removeLost()
    }
  }
}

extension GatewayManifest {
  /// The app "lights" with one item, which is found by the beginning of its network's name.
  static func cameras(_ change: (inout DisplayItem) -> Void = { _ in }) -> GatewayManifest {
    GatewayManifest.lights.with { manifest in
      manifest.gateway.wifi = "wlan1"
      manifest.apps[0].supports = [.bluetooth, .wifi]
      var item = DisplayItem.camera
      change(&item)
      manifest.apps[0].items = [item]
    }
  }

  /// The same, and the app "garden" that looks for the same networks.
  static var camerasAndGarden: GatewayManifest {
    GatewayManifest.cameras().with { manifest in
      var garden = manifest.apps[0]
      garden.name = "garden"
      garden.account = .user("garden")
      garden.items[0].id = "watcher"
      garden.items[0].name = "Garden camera"
      manifest.apps.append(garden)
    }
  }
}

extension DisplayItem {
  static var camera: DisplayItem {
    var item = DisplayItem(id: "camera", name: "Camera")
    item.descriptor.ssidPrefix = Array("Cam-".utf8)
    return item
  }
}

extension SetupScenario {
  /// The app's picker is open, and an operator sees the networks that were found.
  static func choosingNetworks(
    _ manifest: GatewayManifest = .cameras(), _ networks: [HeardNetwork] = [HeardNetwork("Cam-1")],
    settings: String = ""
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let scenario = SetupScenario(manifest, scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", settings.isEmpty ? "" : #""settings":{\#(settings)}"#)
    for (index, network) in networks.enumerated() {
      var network = network
      network.radio = UInt64(index) + 1
      scenario.harness.scan(network)
    }
    scenario.skip(seconds: 1)
    return (scenario, app, anna)
  }

  /// The same, and the operator has chosen the first network.
  static func owningNetwork(
    _ manifest: GatewayManifest = .cameras()
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let (scenario, app, anna) = choosingNetworks(manifest)
    anna.choose(wait: 1)
    _ = scenario.takeLines()
    return (scenario, app, anna)
  }
}
