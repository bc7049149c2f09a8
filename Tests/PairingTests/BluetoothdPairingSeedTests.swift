// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import HCI
@testable import Pairing
import Testing

@Suite("Pairing through a bluetoothd that is late, forgetful or restarted")
struct BluetoothdPairingSeedTests {
  @Test("500 seeds: each pairing ends once and in time, and what failed leaves no bond", arguments: 0..<500)
  func seed(_ seed: UInt64) { _ = Self.run(seed) }

  @Test("The seeds have pairings that succeed, and that fail for many reasons")
  func outcomes() {
    let outcomes = (0..<500).map { Self.run($0) }
    #expect(outcomes.count { $0 == nil } > 50)
    let reasons = Set(outcomes.compactMap { $0.map { "\($0)" } })
    #expect(reasons.count >= 10, "\(reasons)")
  }

  /// Returns the error of the pairing; nil if the device was paired.
  private static func run(_ seed: UInt64) -> PairingError? {
    var random = SeedRandom(state: seed)
    var world = BluetoothdWorld(ScriptedBluetoothd.Behavior.allCases[Int(random.next(below: 9))])
    world.bluetoothd.isKnown = random.isTrue(percent: 50)
    let (lossPercent, lateMilliseconds) = (random.next(below: 8), 1 + random.next(below: 3000))
    var delays = random
    var isHealthy = false
    world.delay = {
      if isHealthy { return 1 }
      return delays.isTrue(percent: lossPercent) ? nil : Int64(delays.next(below: lateMilliseconds))
    }
    world.pair(demandsAuthentication: random.isTrue(percent: 20), isInputDevice: random.isTrue(percent: 10))
    var asked = 0
    for second in 0..<120 {
      if second == 70 { #expect(world.results.count == 1, "a pairing ends within 70 s") }
      world.run(milliseconds: 1000)
      switch random.next(below: 60) {
      case 0: world.pairing.cancel(PairingID(1), at: world.now)
      case 1: world.endBluetoothd()
      case 2, 3: if !world.bluetoothd.isRunning { world.startBluetoothd() }
      case 4: world.pairing.receive(.malformed, at: world.now)
      case 5: world.pairing.close(.radioIsGone, at: world.now)
      case 6, 7: world.pairing.open(adapter: 0, address: 0xA11, at: world.now)
      default: break
      }
      if world.questions.count > asked, random.isTrue(percent: 60) {
        asked = world.questions.count
        let digits = random.isTrue(percent: 80) ? ScriptedBluetoothd.digits : 1
        _ = world.answer(.digitsMatch(random.isTrue(percent: 80))) || world.answer(.digits(digits))
      }
    }
    isHealthy = true
    world.run(milliseconds: 10_000)
    world.pairing.open(adapter: 0, address: 0xA11, at: world.now)
    if !world.bluetoothd.isRunning { world.startBluetoothd() }
    // The owner may have been lost with the bus.
    world.post(.event(.owner(isRunning: true)))
    world.run(milliseconds: 600_000)
    #expect(world.results.count == 1)
    #expect(world.bluetoothd.agent == nil)
    #expect(!world.isBusOpen && world.pairing.deadline == nil)
    if world.paired == nil { #expect(!world.bluetoothd.isBonded, "\(world.results)") }
    return world.error
  }
}
