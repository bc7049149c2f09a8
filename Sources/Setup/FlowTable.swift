// SPDX-License-Identifier: GPL-3.0-or-later

import Pairing
import Registry

/// The setup flows that are under way, and how the last requests ended.
///
/// Capacity: one flow with a picker for each app, one question for each accessory, and one flow for each accessory that
/// awaits its app; ``outcomesMax`` outcomes, of which the oldest gives way.
struct FlowTable: Sendable {
  static let outcomesMax = 64

  private(set) var flows: [SetupFlow] = []
  private(set) var outcomes: [RequestOutcome] = []
  /// How many pairings were begun.
  private(set) var pairingCount: UInt64 = 0

  func index(of id: RandomIdentifier) -> Int? { flows.firstIndex { $0.id == id } }

  func flow(_ id: RandomIdentifier) -> SetupFlow? { flows.first { $0.id == id } }

  /// Returns the flow of an accessory that is in the registry and awaits its app.
  func flow(awaitingAppWith accessory: RandomIdentifier) -> SetupFlow? {
    flows.first { $0.awaitsApp(with: accessory) }
  }

  /// Returns the flow that waits for this pairing to end.
  func flow(pairing id: PairingID) -> SetupFlow? {
    flows.first { $0.isPairing && $0.pairing?.request.id == id }
  }

  mutating func countPairing() { pairingCount += 1 }

  /// Returns the app's flow with a picker.
  func picker(ofApp app: String) -> SetupFlow? { flows.first { $0.app == app && $0.picker != nil } }

  mutating func append(_ flow: SetupFlow) { flows.append(flow) }

  /// Changes a flow in place.
  mutating func change<Value>(_ index: Int, _ body: (inout SetupFlow) -> Value) -> Value {
    body(&flows[index])
  }

  mutating func remove(_ id: RandomIdentifier) { flows.removeAll { $0.id == id } }

  // MARK: - Outcomes

  mutating func remember(_ outcome: RequestOutcome) {
    if outcomes.count == Self.outcomesMax { outcomes.removeFirst() }
    outcomes.append(outcome)
  }

  func outcome(of request: RandomIdentifier) -> RequestOutcome? { outcomes.last { $0.request == request } }
}
