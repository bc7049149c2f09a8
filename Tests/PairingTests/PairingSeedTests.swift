// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
@testable import Pairing
import Registry
import Testing

/// The state machine with a kernel whose events are late, lost, doubled, reordered, or replaced by refusals, and an
/// adapter that vanishes. One seed is one run.
@Suite("Pairing with a kernel that fails")
struct PairingSeedTests {
  private struct Random {
    var state: UInt64
    /// xorshift64*.
    mutating func next(_ bound: UInt64) -> UInt64 {
      state ^= state >> 12
      state ^= state << 25
      state ^= state >> 27
      return (state &* 2_685_821_657_736_338_717) >> 33 % bound
    }
    mutating func chance(_ percent: UInt64) -> Bool { next(100) < percent }
  }

  @Test("Every pairing ends once and in time, and nothing stays behind", arguments: 0..<10)
  func seeds(block: Int) {
    for seed in block * 50..<block * 50 + 50 { #expect(breaches(UInt64(seed) &+ 1) == [], "seed \(seed)") }
  }

  @Test("A kernel that removes nothing breaks the rule that nothing stays behind, and no other")
  func canary() {
    let breaches = (1...50).flatMap { self.breaches($0, removesKeys: false) }
    #expect(Set(breaches) == ["a key of a failure stays"])
  }

  @Test("A state without a deadline traps")
  func deadline() async {
    await #expect(processExitsWith: .failure) {
      var pairing = KernelPairing()
      pairing.open(adapter: 0, bonds: [], at: Instant(microseconds: 0))
      pairing.state = .preparing(until: Instant(microseconds: 1))
      pairing.checkInvariants()
    }
  }

  /// Runs a seed, and returns the rules that are broken.
  private func breaches(_ seed: UInt64, removesKeys: Bool = true) -> [String] {
    var breaches: [String] = []
    var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    var harness = PairingHarness(isOpen: false)
    let behaviours = PairingPeer.Behaviour.allCases
    harness.kernel.peers = (0..<4 as Range<UInt64>).map { number in
      var peer = PairingPeer(behaviours[Int(random.next(UInt64(behaviours.count)))], number: 0x1E27 + number)
      peer.isPrivate = random.chance(70)
      return peer
    }
    harness.open()
    harness.run(milliseconds: 100)
    if !removesKeys { harness.kernel.failing = [.unpairDevice, .loadLongTermKeys] }
    let isChaotic = random.chance(80)
    var started: [(id: PairingID, time: Instant)] = []
    for _ in 0..<6 {
      let peer = harness.kernel.peers[Int(random.next(4))]
      let mood = random.next(10)
      harness.person = { question in
        guard mood > 1 else { return nil }
        return switch question {
        case .compare: .digitsMatch(mood > 3)
        case .enterDigits: .digits(mood > 3 ? PairingPeer.digits : 5)
        case .showDigits: nil
        }
      }
      let id = harness.beginPairing(
        random.chance(80) ? peer.address : peer.identity, demandsAuthentication: random.chance(20),
        replacesBond: random.chance(30))
      started.append((id, harness.now))
      let cancelsAt = random.chance(20) ? random.next(2000) : .max
      for step in 0..<UInt64(610) {
        if isChaotic { disturb(&harness, &random) }
        if step * 100 > cancelsAt, step * 100 <= cancelsAt + 100 { harness.cancel(id) }
        harness.run(milliseconds: 100)
        if harness.result(of: id) != nil, random.chance(30) { break }
      }
      if harness.result(of: id) == nil { breaches.append("a pairing does not end in time") }
      if case .success(let device)? = harness.result(of: id), random.chance(80) { harness.store(device) }
      for case .bondWasLost(let identity) in harness.actions {
        harness.bonds.lose(identity)
      }
      harness.pairing.setBonds(harness.bonds, at: harness.now)
      if random.chance(30), let bond = harness.bonds.last {
        harness.bonds.removeLast()
        harness.pairing.unpair(bond.identity, at: harness.now)
        harness.pairing.setBonds(harness.bonds, at: harness.now)
      }
      for device in Self.unstored(harness) { harness.pairing.unpair(device, at: harness.now) }
      harness.exchange()
      harness.forgetActions()
    }
    return breaches + settle(&harness)
  }

  /// The devices of bonds that the registry did not write.
  private static func unstored(_ harness: PairingHarness) -> [DeviceAddress] {
    harness.actions.compactMap { action in
      guard case .ended(_, .success(let device)) = action,
        !harness.bonds.contains(where: { $0.identity == device.identity })
      else { return nil }
      return device.identity
    }
  }

  /// Something goes wrong.
  private func disturb(_ harness: inout PairingHarness, _ random: inout Random) {
    let kernel = harness.kernel
    switch random.next(40) {
    case 0 where !kernel.events.isEmpty: harness.kernel.events.removeFirst()
    case 1 where !kernel.events.isEmpty:
      harness.kernel.events.insert(kernel.events[0], at: 0)
    case 2 where kernel.events.count > 1:
      let last = kernel.events.count - 1
      let time = kernel.events[0].time
      harness.kernel.events[0].time = kernel.events[last].time
      harness.kernel.events.swapAt(0, last)
      harness.kernel.events[0].time = time
    case 3 where !kernel.events.isEmpty:
      let late = harness.kernel.events.removeFirst()
      harness.kernel.emit(late.event.content, after: Int64(random.next(8000)), harness.now)
    case 4:
      let opcodes: [MgmtOpcode] = [
        .setBondable, .pairDevice, .cancelPairDevice, .unpairDevice, .loadIdentityKeys, .loadLongTermKeys,
        .confirm,
      ]
      let statuses: [MgmtStatus] = [.busy, .failed, .notConnected, .disconnected, .timeout]
      harness.kernel.refusals.append(
        (opcodes[Int(random.next(7))], statuses[Int(random.next(5))]))
    case 5:
      harness.kernel.askForForeign(
        DeviceAddress(bits: 0x4A00_0000_0000 | random.next(99), type: .random), harness.now)
    case 6 where random.chance(10):
      harness.kernel.unplug(harness.now)
      harness.run(milliseconds: Int64(random.next(2000)))
      harness.open()
    case 7 where random.chance(10):
      harness.kernel.setPower(false, harness.now)
      harness.run(milliseconds: Int64(random.next(2000)))
      harness.kernel.setPower(true, harness.now)
    default: break
    }
  }

  /// The kernel works again; soon it has what the registry has, and nothing else. Returns the rules that are broken.
  private func settle(_ harness: inout PairingHarness) -> [String] {
    harness.kernel.refusals = []
    if !harness.pairing.isOpen { harness.open() }
    harness.run(milliseconds: 120_000)
    harness.pairing.setBonds(harness.bonds, at: harness.now)
    harness.exchange()
    harness.run(milliseconds: 1000)
    let kept = harness.bonds.filter { !$0.isLost }.map(\.identity)
    let rules: [(String, Bool)] = [
      ("a foreign pairing was confirmed", harness.kernel.foreignConfirmations > 0),
      ("the kernel keeps keys of other pairings", harness.kernel.isBondable),
      ("Pair Device is pending", harness.kernel.pending != nil),
      (
        "a key of a failure stays",
        !Set(harness.kernel.longTermKeys.map(\.device)).isSubset(of: kept)
      ),
    ]
    return rules.filter(\.1).map(\.0)
  }
}
