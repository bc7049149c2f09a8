// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Setup
import VirtualRadio
import Wireless

/// A gateway in a scenario's time: the agent, its radio, its disk, and its clients.
///
/// Every input takes effect at once, with everything that follows from it.
protocol ScenarioHarness: AnyObject {
  var now: Instant { get }
  /// The earliest time at which something happens by itself.
  var nextTime: Instant? { get }
  /// The agent's sessions, requests and accessories.
  var setupCore: SetupCore { get }
  /// The registry's file.
  var registry: StandInRegistryFile { get set }
  /// The result of the next reading of the manifest.
  var reading: ManifestReading? { get set }
  /// The devices that BlueZ knows.
  var knownDevices: KnownDevices { get set }
  /// The arguments of the signals that the gateway's programs received.
  var signals: [[String]] { get }

  func run(milliseconds: Int64)
  /// Lets the disk reply to the request that it held.
  func releaseRegistry()
  func readManifestAgain()
  /// Does what a signal does that ends the agent, before the connections end.
  func endPickers()
  /// Changes what is known of the networks in reach.
  func updateNetworks(_ change: (inout NetworkTable) -> Void)
  func radioVanishes()
  /// Another controller is plugged in.
  func radioComes(_ scene: [SceneDevice])
  /// Connects a client to the agent's socket, or to an app's own; nil when it is refused.
  func connect(user: UInt32, atSocketOf app: String?) -> HarnessClient?
  func send(_ bytes: [UInt8], by client: HarnessClient)
  func hangUp(_ client: HarnessClient)
}

extension ScenarioHarness {
  func connect(user: UInt32) -> HarnessClient? { connect(user: user, atSocketOf: nil) }

  /// Connects a client of root.
  func connect() -> HarnessClient? { connect(user: 0) }
}
