// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
@testable import Agent
import HCI
@testable import Pairing
import Registry
import Setup

/// The bluetoothd of a world: what goes wrong with it, and what it has at the end.
extension PairedWorld {
  /// bluetoothd runs, or starts later.
  func startBluetoothd(around peers: [PairingPeer]) {
    var bluetoothd = ScriptedBluetoothd()
    bluetoothd.adapterBits = 0x0605_0403_0201
    bluetoothd.isRunning = random.chance(80)
    bluetoothd.devices = peers.enumerated().map { index, peer in
      var device = ScriptedBluetoothd.Device(
        path: "\(ScriptedBluetoothd.adapter)/dev_\(index)", identity: peer.identity, address: peer.address)
      device.behavior = random.chance(15) ? random.pick([.authorizes, .givesNoIdentity]) : peer.behavior
      device.identityKey = peer.identityKeyBytes
      device.longTermKey = peer.longTermKeyBytes(central: 0)
      device.isKnown = false
      return device
    }
    harness.bluetoothd = bluetoothd
    harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
  }

  /// From now on messages are late or lost.
  func delayBluetoothd() {
    var delays = WorldRandom(random.next(.max))
    let (lossPercent, lateMilliseconds) = (delays.next(6), 1 + delays.next(2000))
    harness.bluetoothdMessages.delay = {
      delays.chance(lossPercent) ? nil : Int64(delays.next(lateMilliseconds))
    }
  }

  func disturbBluetoothd() {
    guard let bluetoothd = harness.bluetoothd else { return }
    switch random.next(16) {
    case 0...1 where bluetoothd.isRunning: harness.bluetoothdEnds()
    case 0...5 where !bluetoothd.isRunning: harness.bluetoothdStarts()
    case 6: harness.bluetoothd?.failures = [failingOnce(random.pick(Self.errorNames))]
    case 7: harness.bluetoothd?.foreignDiscoveries = Int(random.next(4))
    case 8: harness.post(harness.bluetoothd?.givesUp() ?? [])
    case 9: harness.post(harness.bluetoothd?.answerByAnother(random.chance(50)) ?? [])
    case 10...11: harness.post(harness.bluetoothd?.askForForeign() ?? [])
    case 12:
      let index = Int(random.next(UInt64(bluetoothd.devices.count)))
      if bluetoothd.isRunning { harness.post(harness.bluetoothd?.forget(index) ?? []) }
    case 13: harness.post([.event(.malformed)])
    case 14 where random.chance(30): harness.post([.event(.closed(.bluetoothdChanged))])
    default: break
    }
  }

  private static let errorNames = [
    "org.bluez.Error.Failed", "org.bluez.Error.InProgress", "org.bluez.Error.NotReady",
    "org.freedesktop.DBus.Error.NoReply",
  ]

  /// The next call fails that can: the end of an agent or of a discovery cannot.
  private func failingOnce(_ name: String) -> (BusCall) -> String? {
    var isOver = false
    return { call in
      switch call.method {
      case .unregisterAgent, .stopDiscovery, .answer, .followProperties: return nil
      case _ where isOver: return nil
      default:
        isOver = true
        return name
      }
    }
  }

  func healBluetoothd() {
    guard let bluetoothd = harness.bluetoothd else { return }
    harness.bluetoothdMessages.delay = { 1 }
    harness.bluetoothd?.failures = []
    harness.bluetoothd?.foreignDiscoveries = 0
    if !bluetoothd.isRunning { harness.bluetoothdStarts() }
    // The change of the owner may have been lost.
    harness.post([.event(.owner(isRunning: true))])
  }

  /// A program consents in the agent's place to what the agent did not begin.
  func consentForAgent() {
    for case .event(.question(let token, _, _)) in harness.bluetoothd?.askForForeign() ?? [] {
      _ = harness.bluetoothd?.receive(
        BusCall(number: .max, method: .answer(question: token, .accept), milliseconds: 0))
    }
  }
}

extension AgentHarness {
  /// Whether bluetoothd has other bonds than the registry, or something of a pairing stays in it.
  var isBluetoothdUnlikeRegistry: Bool {
    guard let bluetoothd else { return false }
    let bonds = setupCore.bonds.filter { $0.bond.record?.owner == .bluetoothd }
    let (all, good) = (Set(bonds.map(\.identity)), Set(bonds.filter(\.bond.isBonded).map(\.identity)))
    let present = Set(bluetoothd.devices.filter(\.isBonded).map(\.identity))
    // A bond that the device has lost is removed when it is paired again.
    return !good.isSubset(of: present) || !present.isSubset(of: all) || bluetoothd.agent != nil
      || bluetoothd.isDiscovering || isBusOpen == good.isEmpty
  }
}

extension PairingPeer {
  fileprivate var behavior: ScriptedBluetoothd.Behavior {
    switch behaviour {
    case .justWorks, .legacy: .justWorks
    case .compares: .compares
    case .shows: .showsDigits
    case .types: .hasKeys
    case .refuses: .refuses
    case .silent, .absent: .isSilent
    case .vanishes: .leaves
    }
  }
}
