// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
import Pairing
import Registry
import Testing

@Suite("Failures of pairing through the kernel")
struct KernelPairingFailureTests {
  /// After a failure nothing of the attempt is in the kernel.
  private func expectNothingLeft(_ harness: PairingHarness) {
    #expect(harness.kernel.longTermKeys.isEmpty)
    #expect(harness.kernel.identityKeys.isEmpty)
    #expect(harness.kernel.pending == nil)
    #expect(!harness.kernel.isBondable)
  }

  @Test("A refusal, a device that is not there, one that is silent and one that vanishes")
  func devices() {
    let results: [(PairingPeer.Behaviour, PairingError)] = [
      (.refuses, .refused), (.absent, .timeout(isAsking: false)), (.silent, .timeout(isAsking: false)),
      (.vanishes, .deviceIsGone),
    ]
    for (behaviour, error) in results {
      let peer = PairingPeer(behaviour)
      var harness = PairingHarness(peer)
      let result = harness.pair(peer.address)
      #expect(result == .failure(error))
      expectNothingLeft(harness)
    }
  }

  @Test("Digits above 999,999 end the pairing they are about, and are not blamed on the device")
  func invalidDigits() {
    let peer = PairingPeer(.silent)
    var harness = PairingHarness(peer)
    let id = harness.beginPairing(peer.address)
    harness.run(milliseconds: 1000)
    harness.pairing.receiveInvalidDigits(of: PairingPeer(.silent, number: 7).address, at: harness.now)
    harness.run(milliseconds: 100)
    #expect(harness.result(of: id) == nil)
    harness.pairing.receiveInvalidDigits(of: peer.address, at: harness.now)
    harness.exchange()
    harness.run(milliseconds: 10_000)
    #expect(harness.result(of: id) == .failure(.invalidDigits(isKernel: true)))
    expectNothingLeft(harness)
  }

  @Test("Wrong digits, digits that differ, and a person who does not answer")
  func persons() {
    let compares = PairingPeer(.compares)
    var harness = PairingHarness(compares)
    harness.person = { _ in .digitsMatch(false) }
    let differ = harness.pair(compares.address)
    #expect(differ == .failure(.digitsDiffer))
    expectNothingLeft(harness)
    let shows = PairingPeer(.shows)
    harness = PairingHarness(shows)
    harness.person = { _ in .digits(1) }
    let wrong = harness.pair(shows.address)
    #expect(wrong == .failure(.wrongDigits))
    expectNothingLeft(harness)
    harness = PairingHarness(shows)
    harness.person = { _ in nil }
    let silent = harness.pair(shows.address)
    #expect(silent == .failure(.timeout(isAsking: true)))
    expectNothingLeft(harness)
  }

  @Test("Only an answer to what was asked is taken")
  func answers() {
    let peer = PairingPeer(.shows)
    var harness = PairingHarness(peer)
    harness.person = { _ in nil }
    let id = harness.beginPairing(peer.address)
    func takes(_ id: PairingID, _ answer: PairingAnswer) -> Bool {
      harness.pairing.answer(id, answer, at: harness.now)
    }
    let early = takes(id, .digits(1))
    #expect(!early)
    harness.run(milliseconds: 500)
    let refused = [
      takes(id, .digitsMatch(true)), takes(id, .digits(1_000_000)), takes(PairingID(77), .digits(1)),
    ]
    #expect(refused == [false, false, false])
    let isTaken = takes(id, .digits(PairingPeer.digits))
    let isTakenTwice = takes(id, .digits(PairingPeer.digits))
    #expect(isTaken && !isTakenTwice)
  }

  @Test(
    "A bond without authentication is refused where authentication is demanded, before it is made or after")
  func notAuthenticated() {
    for behaviour in [PairingPeer.Behaviour.justWorks, .legacy] {
      let peer = PairingPeer(behaviour)
      var harness = PairingHarness(peer)
      let result = harness.pair(peer.address, demandsAuthentication: true)
      #expect(result == .failure(.notAuthenticated(.justWorks)))
      expectNothingLeft(harness)
    }
  }

  @Test("Keys that are not to be kept make no bond, and leave the kernel")
  func keysNotKept() {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer)
    let id = harness.beginPairing(peer.address, .none)
    harness.run(milliseconds: 20)
    // Another program switches it off.
    harness.kernel.receive(.set(.setBondable, to: false, ModelKernel.index), at: harness.now)
    harness.run(milliseconds: 10_000)
    #expect(harness.result(of: id) == .failure(.noKeys))
    expectNothingLeft(harness)
  }

  @Test("A debug key, which every listener knows, and a key of a size that there is not make no bond")
  func unstorableKeys() throws {
    let value = try #require(KeyValue([UInt8](repeating: 7, count: 16)))
    for (kind, byteCount) in [(4, 16), (5, 16), (2, 6), (2, 17)] as [(UInt8, UInt8)] {
      var peer = PairingPeer(.silent)
      peer.isPrivate = false
      var harness = PairingHarness(peer)
      let id = harness.beginPairing(peer.address, .none)
      harness.run(milliseconds: 200)
      let key = MgmtKey(
        peer.identity,
        LongTermKey(
          kind: kind, central: 0, byteCount: byteCount, diversifier: 0, random: 0,
          value: value))
      harness.kernel.emit(.bond(.longTermKey(key, isToBeKept: true)), harness.now)
      let named = peer.identity.mgmtBytes
      harness.kernel.emit(.completed(.pairDevice, .success, returned: named), harness.now)
      harness.run(milliseconds: 60_000)
      #expect(harness.result(of: id) == .failure(.noKeys))
      expectNothingLeft(harness)
    }
  }

  @Test("Each status of Pair Device has its error")
  func statuses() {
    let errors: [(UInt8, PairingError)] = [
      (0x01, .notSupported("the kernel cannot pair with this adapter")), (0x03, .deviceIsGone),
      (0x04, .deviceIsGone), (0x05, .refused), (0x08, .deviceIsGone), (0x0B, .refused),
      (0x0C, .notSupported("the kernel cannot pair with this adapter")),
      (0x0D, .notSupported("the kernel refused to pair, with status 13")), (0x0E, .deviceIsGone),
      (0x0F, .radioIsGone), (0x10, .otherProgram), (0x11, .radioIsGone), (0x12, .radioIsGone),
      (0x13, .alreadyPaired(isRemoved: true)), (0x14, .notPermitted),
    ]
    for (status, error) in errors {
      let peer = PairingPeer(.justWorks)
      var harness = PairingHarness(peer)
      harness.kernel.refusals = [(.pairDevice, MgmtStatus(rawValue: status))]
      let result = harness.pair(peer.address)
      #expect(result == .failure(error))
      expectNothingLeft(harness)
    }
  }

  @Test("While the device is being connected, Pair Device is repeated, five times")
  func busy() throws {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer)
    harness.kernel.refusals = [(.pairDevice, .busy), (.pairDevice, .busy)]
    _ = try harness.paired(peer.address, .none)
    harness = PairingHarness(peer)
    harness.kernel.refusals = .init(repeating: (.pairDevice, .busy), count: 10)
    let result = harness.pair(peer.address)
    #expect(result == .failure(.otherProgram))
    #expect(harness.opcodes.count { $0 == .pairDevice } == 5)
  }

  @Test("A bond in the kernel that is not in the registry is removed, so that the next attempt pairs")
  func alreadyPaired() throws {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer)
    let first = try harness.paired(peer.address, .none)
    // The registry did not write it, and the kernel has it.
    harness.pairing.setBonds([], at: harness.now)
    let second = harness.pair(peer.identity, .none)
    #expect(second == .failure(.alreadyBonded))
    // The agent made it: it stays until the registry decides about it.
    #expect(harness.kernel.longTermKeys.map(\.device) == [first.identity])
    harness.pairing.unpair(first.identity, at: harness.now)
    harness.exchange()
    harness.run(milliseconds: 100)
    expectNothingLeft(harness)
    harness.kernel.refusals = [(.pairDevice, .alreadyPaired)]
    let third = harness.pair(peer.address, .none)
    #expect(third == .failure(.alreadyPaired(isRemoved: true)))
    #expect(harness.opcodes.contains(.unpairDevice))
    _ = try harness.paired(peer.address, .none)
  }

  @Test("A second pairing at a time, and one without an adapter, end at once")
  func refusals() {
    let peer = PairingPeer(.silent)
    var harness = PairingHarness(peer)
    let first = harness.beginPairing(peer.address)
    let second = harness.beginPairing(peer.address)
    #expect(harness.result(of: second) == .failure(.busy))
    #expect(harness.result(of: first) == nil)
    harness = PairingHarness(peer, isOpen: false)
    let third = harness.beginPairing(peer.address)
    #expect(harness.result(of: third) == .failure(.radioIsGone))
    harness.open()
    let id = PairingID(88)
    harness.pairing.pair(PairingRequest(id, peer.address, .none, isInputDevice: true), at: harness.now)
    harness.exchange()
    #expect(harness.result(of: id) == .failure(.inputDeviceNeedsBluetoothd))
  }

  @Test("A pairing can be cancelled at any time, and leaves nothing")
  func cancellation() {
    for milliseconds: Int64 in [0, 5, 50, 155, 200, 1400, 3000] {
      for behaviour in [PairingPeer.Behaviour.types, .shows, .absent, .silent] {
        let peer = PairingPeer(behaviour)
        var harness = PairingHarness(peer)
        harness.person = { _ in nil }
        let id = harness.beginPairing(peer.address)
        harness.run(milliseconds: milliseconds)
        guard harness.result(of: id) == nil else { continue }
        harness.cancel(id)
        harness.run(milliseconds: 5000)
        #expect(harness.result(of: id) == .failure(.cancelled))
        expectNothingLeft(harness)
      }
    }
  }

  @Test(
    "Without replies every state ends in time",
    arguments: [
      MgmtOpcode.setBondable, .pairDevice, .cancelPairDevice, .unpairDevice, .loadIdentityKeys,
      .setSecureConnections,
    ])
  func deadlines(opcode: MgmtOpcode) {
    for behaviour in PairingPeer.Behaviour.allCases {
      let peer = PairingPeer(behaviour)
      var harness = PairingHarness(peer)
      harness.kernel.unanswered = [opcode]
      let result = harness.pair(peer.address)
      #expect(result != nil, "\(behaviour) without replies to \(opcode.rawValue)")
    }
  }

  @Test("An adapter that is pulled out or switched off ends the pairing, at any time")
  func adapterGone() {
    for milliseconds: Int64 in [0, 5, 50, 155, 200, 1000] {
      for isPulled in [true, false] {
        let peer = PairingPeer(.types)
        var harness = PairingHarness(peer)
        let id = harness.beginPairing(peer.address)
        harness.run(milliseconds: milliseconds)
        if isPulled {
          harness.kernel.unplug(harness.now)
        } else {
          harness.kernel.setPower(false, harness.now)
        }
        harness.run(milliseconds: 6000)
        #expect(harness.result(of: id) == .failure(.radioIsGone))
        expectNothingLeft(harness)
        #expect(harness.pairing.isOpen != isPulled)
      }
    }
  }

  @Test("A list of keys that the kernel rejects is counted; those that bonds need are loaded again")
  func rejectedKeys() throws {
    for (list, isLoadedAgain): (MgmtOpcode, Bool) in [
      (.loadIdentityKeys, true), (.loadLongTermKeys, true), (.loadLinkKeys, false),
    ] {
      let peer = PairingPeer(.justWorks)
      var harness = PairingHarness(peer, isOpen: false)
      harness.kernel.refusals = [(list, .rejected)]
      harness.open()
      harness.run(milliseconds: 50)
      #expect(harness.actions == [.commandWasRejected(list, .rejected)])
      harness.run(milliseconds: 1500)
      #expect(harness.opcodes.count { $0 == list } == (isLoadedAgain ? 2 : 1), "\(list)")
      #expect(harness.actions.count == 1)
      _ = try harness.paired(peer.address, .none)
    }
  }

  @Test("A setting that the kernel rejects is reported each time, and the device is paired")
  func rejectedSettings() throws {
    for setting in [MgmtOpcode.setDebugKeys, .setSecureSimplePairing, .setSecureConnections, .setBondable] {
      for status in [MgmtStatus.rejected, .invalidParameters] {
        let peer = PairingPeer(.justWorks)
        var harness = PairingHarness(peer, isOpen: false)
        harness.kernel.refusals = [(setting, status)]
        harness.open()
        _ = try harness.paired(peer.address, .none)
        let rejections = harness.actions.filter { $0 == .commandWasRejected(setting, status) }
        #expect(rejections.count == 1, "\(setting)")
      }
    }
  }

  @Test("At the agent's end its commands leave nothing in the kernel")
  func ending() {
    for milliseconds: Int64 in [0, 5, 155, 1000] {
      let peer = PairingPeer(.types)
      var harness = PairingHarness(peer)
      _ = harness.beginPairing(peer.address)
      harness.run(milliseconds: milliseconds)
      for command in harness.pairing.endingCommands { harness.kernel.receive(command, at: harness.now) }
      expectNothingLeft(harness)
    }
    // Devices that are paired and not in the registry, one of which is to be removed.
    let (peer, other) = (PairingPeer(.justWorks), PairingPeer(.legacy, number: 0x2000))
    var made = PairingHarness(peer, other)
    for peer in [peer, other] { _ = made.pair(peer.address, .none, milliseconds: 2000) }
    made.pairing.unpair(other.identity, at: made.now)
    #expect(made.kernel.longTermKeys.count == 3 && made.pairing.isBusy)
    for command in made.pairing.endingCommands { made.kernel.receive(command, at: made.now) }
    #expect(made.kernel.longTermKeys.isEmpty && made.kernel.identityKeys.isEmpty)
    let idle = PairingHarness(PairingPeer(.absent))
    #expect(idle.pairing.endingCommands.isEmpty)
  }
}
