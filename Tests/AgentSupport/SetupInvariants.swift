// SPDX-License-Identifier: GPL-3.0-or-later

import Pairing
import Registry
package import Setup

extension SetupCore {
  /// Traps when a bound is exceeded or values that belong together disagree. Tests call it after every step.
  package func checkInvariants() {
    precondition(effects.isEmpty && changes.isEmpty, "each input has returned its effects")
    sessions.checkInvariants(appCount: configuration.apps.count)
    precondition(flows.outcomes.count <= FlowTable.outcomesMax, "outcomes have a bound")
    precondition(grants == Grants(registry, configuration), "grants are the registry's")
    queue.checkInvariants()
    checkRequests()
    checkAwaitingAccessories()
    precondition(flows.flows.count(where: \.isPairing) <= 1, "one device is paired at a time")
  }

  private func checkRequests() {
    var apps: Set<String> = []
    var asked: Set<RandomIdentifier> = []
    var calls: Set<CallID> = []
    for flow in flows.flows {
      precondition(!flow.state.isFinished, "a flow that has finished is removed")
      if let question = flow.question {
        precondition(asked.insert(question.accessory).inserted, "an accessory is asked about once")
        if let call = question.call {
          precondition(calls.insert(call).inserted, "each call waits for one question")
        }
      }
      if let picker = flow.picker {
        precondition(apps.insert(flow.app).inserted, "an app has one picker")
        precondition(picker.candidates.candidates.count <= picker.candidates.countMax)
      }
      check(flow)
    }
  }

  private func check(_ flow: SetupFlow) {
    switch flow.state {
    case .discovering, .choosing, .naming:
      precondition(flow.picker != nil && flow.question == nil, "only a picker is chosen from")
    case .pairing(let id, _):
      precondition(flow.pairing?.request.id == id && flow.pairing?.device == nil, "a pairing has its request")
      precondition(flow.picker == nil || flow.choice != nil, "a device was chosen")
    case .asking, .writing:
      precondition(
        (flow.question != nil) != (flow.picker?.migrations.isEmpty == false),
        "operators are asked a question, or about a migration")
    case .adding:
      precondition(
        purposes.contains { if case .setup(flow.id) = $0 { true } else { false } },
        "an accessory that is being added is on its way to the disk")
    case .confirming:
      let accessory = flow.accessory.flatMap { registry.accessory($0) }
      precondition(accessory?.state == .awaitingAuthorization, "an accessory that awaits its app is there")
    case .settling:
      precondition(
        flow.accessory.map { queue.isSettling($0) } ?? false, "the decision is on its way to the disk")
    case .takingBack:
      precondition(
        purposes.contains { if case .takeBack(flow.accessory, _, _) = $0 { true } else { false } },
        "the removal is on its way to the disk")
    case .created, .finished: preconditionFailure("a flow has begun, and is removed when it has finished")
    }
  }

  private func checkAwaitingAccessories() {
    for accessory in registry.accessories where accessory.state == .awaitingAuthorization {
      let count = flows.flows.count {
        $0.awaitsApp(with: accessory.identifier) || $0.isTakingBack(accessory.identifier)
      }
      precondition(count == 1, "an accessory that awaits its app has one flow")
    }
  }

  /// What the changes on their way to the disk are for.
  private var purposes: [ChangePurpose] { queue.pending.map(\.purpose) }
}

extension RegistryQueue {
  /// Traps when a bound is exceeded.
  fileprivate func checkInvariants() {
    registry.checkInvariants()
    precondition(waiting.count <= Self.waitingMax, "a queue has a bound")
    precondition(
      waiting.isEmpty || pending.count > waiting.count || state == .opening,
      "a change waits only while the disk is busy")
  }
}

extension SessionStore {
  /// Traps when a bound is exceeded. A reload may have added apps, whose first sessions come on top.
  fileprivate func checkInvariants(appCount: Int) {
    precondition(sessions.count <= Self.countMax + appCount, "sessions have a bound")
    for (app, sessions) in Dictionary(grouping: sessions, by: \.app) {
      precondition(sessions.count <= Self.countMaxPerApp, "the sessions of \(app) have a bound")
    }
  }
}
