// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

extension SetupCore {
  /// Traps when a bound is passed or what belongs together disagrees; for tests, which ask after every step.
  public func checkInvariants() {
    precondition(sessions.sessions.count <= SessionTable.countMax, "there is room for so many sessions")
    precondition(outcomes.count <= Self.outcomesMax && ledger.waiting.count <= Ledger.waitingMax)
    precondition(grants == Grants(ledger.registry, configuration), "grants are the registry's")
    ledger.registry.checkInvariants()
    checkRequests()
    checkAwaiting()
    precondition(
      ledger.waiting.isEmpty || ledger.pending != nil || ledger.state == .opening,
      "what waits for the disk waits because the disk is busy")
  }

  private func checkRequests() {
    var apps: Set<String> = []
    var asked: Set<RandomIdentifier> = []
    let calls = requests.compactMap(\.call)
    for (index, call) in calls.enumerated() {
      precondition(!calls[..<index].contains(call), "each call waits for one request")
    }
    for request in requests {
      if let identifier = request.accessoryInQuestion {
        precondition(asked.insert(identifier).inserted, "an accessory is asked about once")
      }
      guard let setup = request.setup else { continue }
      precondition(apps.insert(request.app).inserted, "an app has one setup request")
      precondition(!setup.picker.isFinished, "a picker that has finished is gone")
      precondition(setup.picker.candidates.count <= setup.picker.candidatesMax)
      check(setup, of: request)
    }
  }

  private func check(_ setup: SetupRequest, of request: DeskRequest) {
    switch setup.step {
    case .none, .naming: break
    case .adding:
      precondition(
        errands.contains { if case .setup(request.id) = $0 { true } else { false } },
        "what is added is on its way to the disk")
    case .confirming:
      let accessory = setup.accessory.flatMap { ledger.registry.accessory($0) }
      precondition(accessory?.state == .awaitingAuthorization, "what has to be confirmed is there")
    case .takingBack:
      precondition(
        errands.contains { if case .takeBack(setup.accessory, _, _) = $0 { true } else { false } },
        "what is taken back is on its way to the disk")
    }
  }

  private func checkAwaiting() {
    let accessories = ledger.registry.accessories.filter { $0.state == .awaitingAuthorization }
    precondition(
      Set(accessories.map(\.identifier)) == Set(awaiting.keys), "who awaits its app has a deadline")
    for (identifier, end) in awaiting where end == nil {
      precondition(
        ledger.isSettling(identifier), "whose fate is being written has it on its way to the disk")
    }
  }

  /// What changes on their way to the disk are for.
  private var errands: [ChangePurpose] { ledger.entries.map(\.errand) }
}
