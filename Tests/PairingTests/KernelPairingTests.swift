// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
@testable import Pairing
import Registry
import Testing

@Suite("Pairing through the kernel")
struct KernelPairingTests {
  // MARK: - What comes of a pairing

  @Test("Just Works: consent is given, and the keys come under the identity")
  func justWorks() throws {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer)
    let device = try harness.paired(peer.address, .none)
    #expect(device.identity == peer.identity)
    #expect(device.method == .justWorks)
    #expect(device.record.owner == .gateway)
    #expect(!device.record.isAuthenticated)
    #expect(device.record.keys.identityKey == KeyValue(peer.identityKeyBytes))
    let key = try #require(device.record.keys.longTermKeys.first)
    #expect(key.kind == 2 && key.value.bytes == peer.longTermKeyBytes(central: 0))
    #expect(device.record.keys.longTermKeys.count == 1)
    #expect(harness.actions.count == 1)
    #expect(!harness.kernel.isBondable)
    // The registry's list is what the kernel has, so nothing is loaded again.
    let count = harness.kernel.received.count
    harness.store(device)
    harness.run(milliseconds: 1000)
    #expect(harness.kernel.received.count == count)
  }

  @Test("Identity keys are loaded first, and keys are let be kept before Pair Device only")
  func order() {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer)
    _ = harness.pair(peer.address, .none)
    #expect(
      harness.opcodes == [
        .loadIdentityKeys, .setBondable, .loadLongTermKeys, .loadLinkKeys, .setDebugKeys,
        .setSecureSimplePairing, .setSecureConnections, .setBondable, .pairDevice, .confirm, .setBondable,
      ])
  }

  @Test("Legacy pairing gives two keys")
  func legacy() throws {
    let peer = PairingPeer(.legacy)
    var harness = PairingHarness(peer)
    let device = try harness.paired(peer.address, .none)
    #expect(device.record.keys.longTermKeys.map(\.central) == [0, 1])
    #expect(device.record.keys.longTermKeys.map(\.diversifier) == [7, 7])
    #expect(!device.record.isAuthenticated)
  }

  @Test("Digits that are compared, typed here, or typed there make an authenticated bond")
  func digits() throws {
    let ways: [(PairingPeer.Behaviour, PairingMethod, PairingQuestion)] = [
      (.compares, .digitsCompared, .compare(PairingPeer.digits)),
      (.shows, .digitsEntered, .enterDigits),
      (.types, .digitsShown, .showDigits(PairingPeer.digits)),
    ]
    for (behaviour, method, question) in ways {
      let peer = PairingPeer(behaviour)
      var harness = PairingHarness(peer)
      let device = try harness.paired(peer.address, demandsAuthentication: true)
      #expect(device.method == method)
      #expect(device.record.isAuthenticated)
      guard case .ask(_, question) = harness.actions.first else {
        Issue.record("the person was not asked: \(harness.actions)")
        continue
      }
    }
  }

  @Test("A device without private addresses is paired by its address")
  func publicDevice() throws {
    var peer = PairingPeer(.justWorks)
    peer.isPrivate = false
    var harness = PairingHarness(peer)
    let device = try harness.paired(peer.identity, .none)
    #expect(device.identity == peer.identity && device.record.keys.identityKey == nil)
  }

  @Test("A BR/EDR key that comes with the pairing is kept and loaded")
  func linkKey() throws {
    var peer = PairingPeer(.justWorks)
    peer.identity = DeviceAddress(bits: 0x0000_5E00_5301, type: .public)
    peer.isDualMode = true
    var harness = PairingHarness(peer)
    let device = try harness.paired(peer.address, .none)
    #expect(device.record.keys.linkKey?.kind == 7)
    harness.store(device)
    harness.kernel.unplug(harness.now)
    harness.run(milliseconds: 10)
    harness.open()
    harness.run(milliseconds: 100)
    #expect(harness.kernel.linkKeys == [peer.identity])
    // Unpair Device takes the LE keys only.
    harness.pairing.unpair(peer.identity, at: harness.now)
    harness.exchange()
    harness.run(milliseconds: 100)
    #expect(harness.kernel.longTermKeys.isEmpty && harness.kernel.linkKeys.isEmpty)
  }

  // MARK: - Keys

  @Test("All keys are loaded at an open, of lost bonds the identity key only")
  func loading() throws {
    let (good, lost) = (PairingPeer(.justWorks), PairingPeer(.justWorks, number: 0x2000))
    var harness = PairingHarness(
      good, lost, bonds: [try Self.bond(with: lost, isLost: true), try Self.bond(with: good)])
    #expect(Set(harness.kernel.identityKeys.keys) == [good.identity, lost.identity])
    #expect(harness.kernel.longTermKeys.map(\.device) == [good.identity])
    #expect(harness.kernel.usesSecureConnections)
    // Again after a power cycle.
    let count = harness.kernel.received.count
    harness.kernel.setPower(false, harness.now)
    harness.kernel.setPower(true, harness.now)
    harness.run(milliseconds: 100)
    #expect(harness.opcodes.dropFirst(count).contains(.loadLongTermKeys))
  }

  @Test("Of more keys than the kernel takes whole bonds are left out, and their devices are still recognised")
  func tooMany() {
    let bonds = (0..<911 as Range<UInt64>).map { number in
      var keys = BondKeys()
      keys.identityKey = KeyValue([UInt8](repeating: 1, count: 16))
      keys.longTermKeys = [0, 1].compactMap { central in
        KeyValue([UInt8](repeating: 2, count: 16)).map {
          LongTermKey(kind: 0, central: central, byteCount: 16, diversifier: 7, random: 9, value: $0)
        }
      }
      return DeviceBond(identity: DeviceAddress(bits: 0xC000_0000_0000 + number, type: .random), keys: keys)
    }
    var harness = PairingHarness(bonds: bonds)
    #expect(harness.kernel.longTermKeys.count == 1820 && harness.kernel.identityKeys.count == 911)
    #expect(harness.pairing.leftOut == [bonds[910].identity])
    harness.pairing.setBonds(Array(bonds.dropFirst()), at: harness.now)
    harness.exchange()
    harness.run(milliseconds: 100)
    #expect(harness.pairing.leftOut.isEmpty)
    #expect(harness.kernel.longTermKeys.contains { $0.device == bonds[910].identity })
  }

  @Test("Keys that the kernel would not take are left out")
  func unusableKeys() throws {
    let peer = PairingPeer(.justWorks)
    var keys = try Self.bond(with: peer).keys
    keys.longTermKeys[0].byteCount = 17
    let unstable = DeviceAddress(bits: 0x1111, type: .random)
    let harness = PairingHarness(
      peer,
      bonds: [DeviceBond(identity: peer.identity, keys: keys), DeviceBond(identity: unstable, keys: keys)])
    #expect(harness.kernel.longTermKeys.isEmpty)
    #expect(Array(harness.kernel.identityKeys.keys) == [peer.identity])
  }

  @Test(
    "Loading goes on without link keys, is repeated when the kernel is busy, and stops without permission")
  func refusedLoading() {
    var harness = PairingHarness(isOpen: false)
    harness.kernel.refusals = [(.loadLinkKeys, .notSupported), (.loadLongTermKeys, .busy)]
    harness.open()
    harness.run(milliseconds: 3000)
    #expect(harness.opcodes.count { $0 == .loadIdentityKeys } == 2)
    #expect(harness.opcodes.last == .setSecureConnections)
    harness = PairingHarness(isOpen: false)
    harness.kernel.refusals = [(.loadIdentityKeys, .permissionDenied)]
    harness.open()
    harness.run(milliseconds: 60_000)
    #expect(harness.opcodes == [.loadIdentityKeys, .setBondable])
    let address = DeviceAddress(bits: 1, type: .public)
    let result = harness.pair(address)
    #expect(result == .failure(.notPermitted))
    harness = PairingHarness(isOpen: false)
    harness.kernel.unanswered = [.loadLongTermKeys]
    harness.open()
    let late = harness.pair(address, milliseconds: 13_000)
    #expect(late == .failure(.notSupported("the kernel did not finish earlier commands in time")))
  }

  @Test("A bond is removed with its identity key, and its removal is repeated while the kernel is busy")
  func removal() throws {
    let peer = PairingPeer(.justWorks)
    for isLost in [false, true] {
      var harness = PairingHarness(peer, bonds: [try Self.bond(with: peer, isLost: isLost)])
      harness.kernel.refusals = [(.unpairDevice, .busy)]
      harness.pairing.unpair(peer.identity, at: harness.now)
      harness.pairing.setBonds([], at: harness.now)
      harness.exchange()
      harness.run(milliseconds: 2000)
      #expect(harness.kernel.longTermKeys.isEmpty && harness.kernel.identityKeys.isEmpty)
    }
  }

  @Test("A hundred removals at once leave no key")
  func manyRemovals() throws {
    let peers = (0..<100).map { PairingPeer(.justWorks, number: 0x3000 + $0) }
    var harness = PairingHarness(isOpen: false)
    harness.bonds = try peers.map { try Self.bond(with: $0) }
    harness.open()
    harness.run(milliseconds: 100)
    #expect(harness.kernel.longTermKeys.count == 100)
    for peer in peers { harness.pairing.unpair(peer.identity, at: harness.now) }
    harness.exchange()
    harness.run(milliseconds: 5000)
    #expect(harness.kernel.longTermKeys.isEmpty && harness.kernel.identityKeys.isEmpty)
  }

  // MARK: - Pairing again

  @Test("A lost bond is replaced, by the identity that the kernel knows")
  func replacement() throws {
    for isLost in [true, false] {
      var peer = PairingPeer(.justWorks)
      let old = try Self.bond(with: peer, isLost: isLost)
      (peer.rotation, peer.keyNumber) = (9, 2)
      var harness = PairingHarness(peer, bonds: [old])
      let device = try harness.paired(peer.address, .none, replacesBond: true)
      #expect(device.identity == peer.identity)
      #expect(device.record.keys.longTermKeys.first?.value.bytes == peer.longTermKeyBytes(central: 0))
      harness.store(device)
      harness.run(milliseconds: 1000)
      #expect(harness.kernel.longTermKeys.map(\.bytes) == [peer.longTermKeyBytes(central: 0)])
      #expect(!harness.actions.contains(.bondWasLost(peer.identity)))
    }
  }

  @Test("A replacement that fails leaves the old bond as it was")
  func failedReplacement() throws {
    let peer = PairingPeer(.refuses)
    var harness = PairingHarness(peer, bonds: [try Self.bond(with: peer)])
    let result = harness.pair(peer.address, .none, replacesBond: true)
    #expect(result == .failure(.refused))
    #expect(harness.kernel.longTermKeys.map(\.device) == [peer.identity])
    #expect(harness.kernel.identityKeys[peer.identity] != nil)
  }

  static func bond(with peer: PairingPeer, isLost: Bool = false) throws -> DeviceBond {
    var keys = BondKeys()
    keys.identityKey = KeyValue(peer.identityKeyBytes)
    let value = try #require(KeyValue(peer.longTermKeyBytes(central: 0)))
    keys.longTermKeys = [
      LongTermKey(kind: 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: value)
    ]
    return DeviceBond(identity: peer.identity, keys: keys, isLost: isLost)
  }
}
