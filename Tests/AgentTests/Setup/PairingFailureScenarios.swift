// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
@testable import Agent
import HCI
import JSON
import Manifest
import Pairing
import Registry

import Setup
import Testing
import Varlink
import VirtualRadio

@Suite("Pairings that fail, or are given up")
struct PairingFailureScenarios {
  static let errors: [PairingError] = [
    .refused, .wrongDigits, .digitsDiffer, .invalidDigits(isKernel: true), .invalidDigits(isKernel: false),
    .timeout(isAsking: true), .timeout(isAsking: false), .deviceIsGone,
    .alreadyPaired(isRemoved: true), .alreadyBonded, .notAuthenticated(.justWorks), .noKeys, .busy,
    .radioIsGone,
    .notPermitted,
    .inputDeviceNeedsBluetoothd, .needsSharedAccess,
    .bluetoothdChanged, .unknownToBluetoothd,
    .otherProgram, .radioIsSimulated, .notSupported("too old"),
  ]

  @Test(
    "A device that is not paired ends the setup with its reason and cure, and leaves nothing",
    arguments: errors)
  func failure(error: PairingError) throws {
    let bench = PairingBench()
    let call = bench.chooses()
    bench.fails(error)
    #expect(
      bench.events() == [
        "pickerDidPresent", "pickerSetupPairing", "pickerSetupFailed", "pickerDidDismiss", "pickerFinished",
      ])
    #expect(bench.failure(call)?.error == "SetupFailed")
    #expect(bench.failure(call)?.reason == error.setupFailure.reason)
    #expect(call.replies.last?.text("cure") == error.setupFailure.cure)
    #expect(bench.accessories.isEmpty && bench.backend.takeCommands().count == 1)
    let notice = SetupNotice.pairingFailed(app: "lights", reason: error.setupFailure.reason)
    #expect(bench.harness.notices.contains(.setup(notice)))
    // The device can be chosen again.
    bench.scenario.run(seconds: 6)
    bench.chooses()
    bench.succeeds()
    #expect(bench.accessories.count == 1)
  }

  @Test("A pairing is cancelled with its request, also while a question is open", arguments: [false, true])
  func closed(isAsked: Bool) {
    let endings: [(String, (PairingBench) -> Void)] = [
      ("CancelPicker", { $0.lights.call("CancelPicker") }),
      ("Deny", { $0.anna.answer("Deny") }),
      ("Cancel", { $0.anna.answer("Cancel") }),
      ("Invalidate", { $0.lights.call("Invalidate") }),
      ("the end of the agent", { $0.harness.endPickers() }),
      (
        "the app's silence",
        { bench in
          bench.lights.hangUp()
          bench.scenario.run(seconds: 11)
        }
      ),
    ]
    for (name, end) in endings {
      let bench = PairingBench()
      let call = bench.chooses()
      if isAsked { bench.asks(.enterDigits) }
      let pairing = bench.pairing
      end(bench)
      bench.scenario.run(seconds: 0.2)
      #expect(bench.backend.commands.last == .cancel(pairing), "\(name)")
      #expect(bench.failure(call)?.error == "SetupFailed", "\(name)")
      #expect(bench.harness.setupCore.requests.isEmpty, "\(name)")
      bench.reports(.ended(pairing, .failure(.cancelled)))
      #expect(bench.accessories.isEmpty && bench.backend.commands.count == 2, "\(name)")
    }
  }

  @Test("A question whose operator has disconnected ends the pairing at once, unless another can answer it")
  func operatorLeaves() {
    let questions: [(PairingQuestion, [String], Bool)] = [
      (.compare(123_456), [], true), (.compare(123_456), ["keyboard"], true),
      (.compare(123_456), ["display", "yesNo"], false), (.enterDigits, ["display", "yesNo"], true),
      (.enterDigits, ["keyboard"], false), (.showDigits(123_456), [], false),
    ]
    for (question, others, isEnded) in questions {
      let bench = PairingBench()
      bench.chooses()
      bench.asks(question)
      let bert = bench.scenario.watcher("bert", others)
      let pairing = bench.pairing
      bench.anna.hangUp()
      bench.scenario.run(seconds: 0.2)
      #expect((bench.backend.commands.last == .cancel(pairing)) == isEnded, "\(question), \(others)")
      #expect(bench.harness.setupCore.requests.isEmpty == isEnded)
      if isEnded {
        #expect(bench.events().suffix(2) == ["pickerDidDismiss", "pickerFinished"])
        let error = bench.lights.events.last?.object("error")
        #expect(error?.text("reason")?.hasSuffix("no other operator can answer") == true)
        bench.reports(.ended(pairing, .failure(.cancelled)))
        continue
      }
      if question == .compare(123_456) { bert.answer("AnswerPairing", #""matches":true"#) }
      if question == .enterDigits { bert.answer("AnswerPairing", #""digits":"123456""#) }
      bench.succeeds(.digitsCompared)
      #expect(bench.accessories.count == 1, "\(question), \(others)")
    }
  }

  @Test("A request that an operator opened ends its pairing with the connection")
  func abandoned() {
    let bench = PairingBench()
    let open = bench.anna.call("Open", #""app":"lights""#, wait: 1)
    bench.anna.choose()
    let pairing = bench.pairing
    #expect(bench.phase == "pairing")
    open.hangUp()
    bench.scenario.run(seconds: 1)
    #expect(bench.backend.commands.last == .cancel(pairing))
    #expect(bench.harness.setupCore.requests.isEmpty)
  }

  @Test(
    "A stopped agent has removed the bond of a device that was being named, whether its app or an operator opened the request",
    arguments: [false, true])
  func stopped(isOnBehalf: Bool) {
    let bench = KernelPairingBench(.justWorks, isPrivate: true)
    if isOnBehalf {
      bench.anna.call("Open", #""app":"lights""#, wait: 1)
      bench.anna.choose(1, wait: 1)
    } else {
      bench.chooses()
    }
    #expect(bench.harness.setupCore.requests.first?.state.name == "naming" && !bench.keyOwners.isEmpty)
    bench.harness.endPickers()
    #expect(!bench.harness.agent.hasEndedSetups)
    bench.scenario.run(seconds: 0.1)
    #expect(bench.harness.agent.hasEndedSetups && bench.harness.setupCore.requests.isEmpty)
    #expect(bench.keyOwners.isEmpty && bench.harness.pairingKernel?.identityKeys.isEmpty == true)
  }

  @Test("A pairing that succeeds after its request has ended is undone")
  func late() {
    let bench = PairingBench()
    bench.chooses()
    let pairing = bench.pairing
    bench.anna.answer("Cancel")
    bench.reports(.ended(pairing, .success(.sample(.justWorks))))
    #expect(bench.backend.commands.suffix(2) == [.cancel(pairing), .unpair(PairingBench.bulb, .gateway)])
    #expect(bench.accessories.isEmpty)
  }

  @Test("A backend that reports no end is given up after 70 s, within the time of the call")
  func silence() {
    let bench = PairingBench()
    let call = bench.chooses(wait: 69)
    #expect(call.replies.isEmpty && bench.phase == "pairing")
    bench.scenario.run(seconds: 2)
    #expect(bench.failure(call)?.reason == PairingError.timeout(isAsking: false).setupFailure.reason)
    #expect(bench.backend.commands.last == .cancel(bench.pairing))
    #expect(bench.events().contains("pickerSetupFailed"))
  }

  @Test("Whatever ends the setup behind its pairing undoes the pairing")
  func undone() {
    let unwritten = PairingBench()
    let call = unwritten.chooses()
    unwritten.harness.registry.replies = [.failed(.full, isOpen: true)]
    unwritten.succeeds()
    #expect(unwritten.failure(call)?.error == "SetupFailed" && unwritten.accessories.isEmpty)
    #expect(unwritten.backend.commands.last == .unpair(PairingBench.bulb, .gateway))

    let unnamed = PairingBench { $0.apps[0].items[0].setupOptions = .rename }
    unnamed.chooses()
    unnamed.succeeds()
    unnamed.anna.answer("Deny")
    #expect(unnamed.backend.commands.last == .unpair(PairingBench.bulb, .gateway))

    let refused = PairingBench { $0.apps[0].items[0].setupOptions = .confirmAuthorization }
    refused.chooses()
    refused.succeeds()
    refused.lights.call("FailAuthorization", about: refused.lights.accessory, wait: 1)
    #expect(refused.backend.commands.last == .unpair(PairingBench.bulb, .gateway))
    #expect(refused.backend.commands.count == 2 && refused.accessories.isEmpty)
  }

  @Test("A bond that is not authenticated as the item demands is refused and undone")
  func demanded() {
    let bench = PairingBench { $0.apps[0].items[0].pairing = .authenticated }
    let call = bench.chooses()
    #expect(bench.backend.requests.first?.demandsAuthentication == true)
    bench.succeeds(.justWorks)
    #expect(bench.failure(call)?.reason == PairingError.notAuthenticated(.justWorks).setupFailure.reason)
    #expect(bench.backend.commands.last == .unpair(PairingBench.bulb, .gateway) && bench.accessories.isEmpty)
    bench.scenario.run(seconds: 6)
    bench.chooses()
    bench.succeeds(.digitsCompared)
    #expect(bench.accessories.count == 1)
  }

  @Test("Nothing is tried when the bond must be authenticated and no operator can do it")
  func noPerson() {
    let bench = PairingBench(capabilities: []) { $0.apps[0].items[0].pairing = .authenticated }
    let call = bench.chooses()
    #expect(bench.failure(call)?.error == "Invalid")
    #expect(bench.backend.commands.isEmpty && bench.phase == "choosing")
  }

  @Test("One device is paired at a time, and the second request stays open")
  func busy() {
    let bench = PairingBench(scene: [.bulb(1), .bulb(2)])
    let garden = bench.scenario.app("garden", user: 1001)
    bench.picks()
    let first = bench.anna.request
    bench.anna.choose(1)
    bench.picks(garden)
    let second = bench.anna.request
    #expect(second != first)
    var reasons: Set<String> = []
    var shared = 0
    for candidate in [1, 2] {
      let call = bench.anna.choose(candidate)
      if bench.failure(call)?.reason.contains("pairs this device") == true { shared = candidate }
      #expect(bench.failure(call)?.error == "Invalid")
      reasons.insert(bench.failure(call)?.reason ?? "")
    }
    #expect(reasons.count == 2 && reasons.contains { $0.contains("another request pairs this device") })
    #expect(bench.backend.commands.count == 1)
    bench.succeeds()
    let call = bench.anna.call("Choose", #""request":"\#(second)","candidate":\#(shared)"#, wait: 1)
    #expect(call.replies.last?.error == nil && bench.accessories.map(\.app) == ["lights", "garden"])
    #expect(bench.backend.commands.count == 1)
  }
}
