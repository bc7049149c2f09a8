// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

/// Each world costs half a second in a debug build; the state machines alone have 500 seeds each in `PairingTests`.
@Suite("Pairing in random worlds")
struct PairedWorldTests {
  @Test(
    "Requests end once, nothing half-added stays, and the kernel has the registry's keys and no others",
    arguments: [0..<10, 10..<20] as [Range<UInt64>])
  func seeds(seeds: Range<UInt64>) {
    var pairedCount = 0
    for seed in seeds {
      let world = PairedWorld(seed)
      #expect(world.breaches() == [], "seed \(seed)")
      pairedCount += world.pairedCount
    }
    #expect(pairedCount > seeds.count / 2, "the worlds pair devices")
  }

  @Test(
    "Beside a bluetoothd that ends and starts, its bonds are the registry's, and later the kernel's keys are",
    // In 40 and 154, bluetoothd ends as it pairs; in 118, the disk does not write that a bond is lost; in 457, the gateway
    // pairs a device itself whose bond bluetoothd is to remove; in 60 and 435, messages of bluetoothd are lost.
    arguments: [Array(0..<10), Array(10..<20), [40, 60, 118, 154, 435, 457]] as [[UInt64]])
  func bluetoothdSeeds(seeds: [UInt64]) {
    var pairedCount = 0
    for seed in seeds {
      let world = PairedWorld(seed, hasBluetoothd: true)
      #expect(world.breaches() == [], "seed \(seed)")
      pairedCount += world.pairedCount
    }
    #expect(pairedCount > seeds.count / 2, "the worlds pair devices")
  }

  @Test(
    "An agent that is killed after bluetoothd has paired leaves no bond that its next run keeps for no accessory"
  )
  func kills() {
    var killCount = 0
    for seed in 0..<10 as Range<UInt64> {
      let (wrong, all) = PairedWorld(seed, hasBluetoothd: true).wrongRunsAfterKills()
      #expect(wrong == 0, "seed \(seed)")
      killCount += all
    }
    #expect(killCount > 20, "the worlds pair devices")
  }

  @Test(
    "Where operators replace devices, bonds go with the old ones, and come with the new ones",
    arguments: [false, true])
  func replacements(hasBluetoothd: Bool) {
    var replacedCount = 0
    for seed in 0..<20 as Range<UInt64> {
      let world = PairedWorld(seed, hasBluetoothd: hasBluetoothd, replaces: true)
      #expect(world.breaches() == [], "seed \(seed)")
      replacedCount += world.replacedCount
    }
    #expect(replacedCount > 4, "the worlds replace devices")
  }

  @Test(
    "An agent that is killed while a device is replaced leaves the old one or the new one, and no other bond")
  func replacementKills() {
    var killCount = 0
    for seed in 0..<10 as Range<UInt64> {
      let (wrong, all) = PairedWorld(seed, hasBluetoothd: true, replaces: true).wrongRunsAfterKills()
      #expect(wrong == 0, "seed \(seed)")
      killCount += all
    }
    #expect(killCount > 20, "the worlds pair devices")
  }

  @Test("A program that confirms a foreign pairing breaks its rule")
  func foreignCanary() {
    #expect(PairedWorld(1, .confirmsForeign).breaches() == [.otherPairings])
    #expect(PairedWorld(1, .confirmsForeign, hasBluetoothd: true).breaches() == [.otherPairings])
  }

  @Test("A kernel that keeps keys breaks its rule, where a world ends with a bond")
  func keysCanary() { #expect((0..<20).contains { PairedWorld($0, .keepsKeys).breaches() == [.keys] }) }

  @Test("A bluetoothd that keeps bonds breaks its rule, where a world ends with one of its bonds")
  func bondsCanary() {
    #expect(
      (0..<20).contains { PairedWorld($0, .keepsBonds, hasBluetoothd: true).breaches() == [.bluetoothd] })
  }
}
