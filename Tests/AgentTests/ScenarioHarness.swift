// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Setup
import VirtualRadio

/// A gateway in a scenario's time: the agent, its radio, its disk, and everybody who is connected to it.
///
/// Whatever is done is done at once, and all that follows from it at the same time.
protocol ScenarioHarness: AnyObject {
  var now: Instant { get }
  /// Before then nothing happens by itself.
  var nextTime: Instant? { get }
  /// What the agent knows of sessions, requests and accessories.
  var setupCore: SetupCore { get }
  /// The registry's file.
  var registry: StandInRegistryFile { get set }
  /// What a reading of the manifest brings.
  var reading: ManifestReading? { get set }
  /// What the gateway's program for touches was told.
  var touchSignals: [TouchSignal] { get }

  func run(milliseconds: Int64)
  /// Lets the disk answer what it was asked while it was held.
  func releaseRegistry()
  func readManifestAgain()
  func radioVanishes()
  /// Another controller is plugged in.
  func radioComes(_ scene: [SceneDevice])
  /// Somebody connects; nil when turned away.
  func connect(user: UInt32) -> HarnessClient?
  func send(_ bytes: [UInt8], by client: HarnessClient)
  func hangUp(_ client: HarnessClient)
}

extension ScenarioHarness {
  /// Root connects.
  func connect() -> HarnessClient? { connect(user: 0) }
}
