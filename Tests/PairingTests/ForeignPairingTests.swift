// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
import Pairing
import Registry
import Testing

@Suite("Pairings that others begin, and bonds that are lost")
struct ForeignPairingTests {
  private static let other = DeviceAddress(bits: 0x4A11_2233_4455, type: .random)

  @Test("A question that no pairing of the agent caused is refused, during a pairing too")
  func questions() throws {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer)
    for isPasskey in [false, true] {
      harness.kernel.askForForeign(Self.other, passkey: isPasskey, harness.now)
      harness.run(milliseconds: 10)
      #expect(harness.opcodes.last == (isPasskey ? .denyPasskey : .denyConfirmation))
    }
    let id = harness.beginPairing(peer.address, .none)
    harness.run(milliseconds: 50)
    harness.kernel.askForForeign(Self.other, harness.now)
    harness.run(milliseconds: 5000)
    _ = try #require(harness.result(of: id)).get()
    #expect(harness.actions.count { $0 == .foreignAttemptRefused(Self.other) } == 3)
    #expect(harness.kernel.foreignConfirmations == 0)
  }

  @Test("Before Pair Device is sent, even the device itself is refused")
  func early() {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer)
    _ = harness.beginPairing(peer.address, .none)
    harness.kernel.askForForeign(peer.address, harness.now)
    harness.run(milliseconds: 0)
    #expect(harness.opcodes.last == .denyConfirmation)
  }

  @Test("Keys of a pairing that connect() began leave the kernel; those of another program stay")
  func keys() throws {
    for isToBeKept in [false, true] {
      var harness = PairingHarness()
      let value = try #require(KeyValue([UInt8](repeating: 5, count: 16)))
      let key = MgmtKey(
        Self.other, LongTermKey(kind: 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: value))
      harness.kernel.emit(.bond(.longTermKey(key, isToBeKept: isToBeKept)), harness.now)
      harness.run(milliseconds: 100)
      #expect(harness.opcodes.contains(.unpairDevice) == !isToBeKept)
    }
  }

  @Test(
    "Keys that are not to be kept, and come for another device during a pairing, leave the kernel after it")
  func keysMeanwhile() throws {
    let peer = PairingPeer(.justWorks)
    for isToBeKept in [false, true] {
      var harness = PairingHarness(peer)
      let id = harness.beginPairing(peer.address, .none)
      harness.run(milliseconds: 100)
      let value = try #require(KeyValue([UInt8](repeating: 5, count: 16)))
      let key = MgmtKey(
        Self.other, LongTermKey(kind: 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: value))
      harness.kernel.emit(.bond(.longTermKey(key, isToBeKept: isToBeKept)), harness.now)
      harness.run(milliseconds: 3000)
      let device = try #require(harness.result(of: id)).get()
      #expect(device.identity == peer.identity)
      #expect(harness.kernel.received.contains(.unpair(Self.other, ModelKernel.index)) == !isToBeKept)
      #expect(!harness.kernel.received.contains(.unpair(peer.identity, ModelKernel.index)))
    }
  }

  @Test("A bond is lost when another program removes it, or its device has other keys now")
  func lostBonds() throws {
    let peer = PairingPeer(.justWorks)
    let value = try #require(KeyValue([UInt8](repeating: 5, count: 16)))
    let key = MgmtKey(
      peer.identity, LongTermKey(kind: 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: value))
    let causes: [MgmtEvent.Content] = [
      .bond(.unpaired(peer.identity)), .bond(.longTermKey(key, isToBeKept: true)),
    ]
    for cause in causes {
      var harness = PairingHarness(peer, bonds: [try KernelPairingTests.bond(with: peer)])
      harness.kernel.emit(cause, harness.now)
      harness.kernel.emit(cause, after: 500, harness.now)
      harness.run(milliseconds: 1000)
      #expect(harness.actions == [.bondWasLost(peer.identity)])
      #expect(harness.kernel.longTermKeys.isEmpty)
      #expect(harness.kernel.identityKeys[peer.identity] != nil)
    }
  }

  @Test("Ends of links lose no bond, nor do events of other adapters")
  func keptBonds() throws {
    let peer = PairingPeer(.justWorks)
    var harness = PairingHarness(peer, bonds: [try KernelPairingTests.bond(with: peer)])
    for reason in [MgmtDisconnectReason.timeout, .byLocalHost, .byRemoteHost, .authenticationFailed] {
      harness.kernel.emit(.disconnected(peer.identity, reason), harness.now)
    }
    harness.kernel.emit(.disconnected(Self.other, .authenticationFailed), harness.now)
    harness.run(milliseconds: 100)
    harness.pairing.receive(
      MgmtEvent(index: 9, .disconnected(peer.identity, .authenticationFailed)), at: harness.now)
    harness.pairing.receive(MgmtEvent(index: 9, .removed), at: harness.now)
    harness.exchange()
    #expect(harness.actions.isEmpty && harness.pairing.isOpen)
  }

  @Test("Keys may come in another order than the kernel sends them, and after the reply")
  func reordered() throws {
    let peer = PairingPeer(.justWorks)
    for order in [[2, 1, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1]] {
      var harness = PairingHarness(peer)
      let id = harness.beginPairing(peer.address, .none)
      harness.run(milliseconds: 170)
      harness.kernel.advance(to: try #require(harness.kernel.completion))
      // Identity key, long term key and reply are under way.
      let events = harness.kernel.events.suffix(3)
      try #require(events.count == 3)
      harness.kernel.events.removeAll()
      for index in order {
        harness.kernel.emit(Array(events)[index].event.content, after: 10, harness.now)
        harness.run(milliseconds: 10)
      }
      harness.run(milliseconds: 3000)
      let device = try #require(harness.result(of: id)).get()
      #expect(device.identity == peer.identity && device.record.keys.identityKey != nil)
    }
  }
}
