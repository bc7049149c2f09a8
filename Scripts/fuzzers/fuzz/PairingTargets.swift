// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import BlueZ
import BondFiles
import Controller
import HCI
import Pairing
import Registry
import TestSupport

/// A pairing receives messages of the kernel: a byte with the length, then the message. A length of 0 lets the time pass
/// until something is due. Once everything is read, the pairing has a minute to end.
func fuzzManagement(_ bytes: RawSpan) {
  var pairing = KernelPairing()
  var now = Instant(microseconds: 0)
  var endCount = 0
  var rest = bytes.bytes[...]

  func settle() {
    pairing.checkInvariants()
    _ = pairing.takeCommands()
    for action in pairing.takeActions() {
      switch action {
      case .ask(let id, .compare): _ = pairing.answer(id, .digitsMatch(true), at: now)
      case .ask(let id, .enterDigits): _ = pairing.answer(id, .digits(PairingPeer.digits), at: now)
      case .ask(_, .showDigits), .bondWasLost, .removalWaits, .removalEnded, .foreignAttemptRefused,
        .commandWasRejected, .busMessageWasIgnored:
        break
      case .ended(_, let result):
        endCount += 1
        guard case .success(let device) = result else { continue }
        precondition(device.record.keys.areStorable, "a bond that cannot be stored")
      }
    }
  }

  pairing.open(adapter: ModelKernel.index, bonds: [], at: now)
  pairing.pair(PairingRequest(PairingID(1), PairingPeer(.justWorks).address, .keyboardDisplay), at: now)
  settle()
  while let length = rest.popFirst() {
    if length == 0 {
      now = max(now, pairing.deadline ?? now)
      pairing.advance(to: now)
    } else if let event = try? MgmtEvent(parsing: Array(rest.prefix(Int(length))).span.rawBytes) {
      pairing.receive(event, at: now)
    }
    rest = rest.dropFirst(Int(length))
    settle()
  }
  let end = now.advanced(milliseconds: PairingRequest.milliseconds)
  while let due = pairing.deadline, due <= end {
    now = max(now, due)
    pairing.advance(to: now)
    settle()
  }
  precondition(endCount == 1, "a pairing ends once")
}

/// What the kernel sends while devices of each kind are paired.
var managementSeeds: [[UInt8]] {
  PairingPeer.Behaviour.allCases.map { behaviour in
    var kernel = ModelKernel()
    kernel.peers = [PairingPeer(behaviour)]
    var pairing = KernelPairing()
    var (now, bytes) = (Instant(microseconds: 0), [UInt8]())
    pairing.open(adapter: ModelKernel.index, bonds: [], at: now)
    pairing.pair(PairingRequest(PairingID(1), kernel.peers[0].address, .keyboardDisplay), at: now)
    for _ in 0..<200 {
      for command in pairing.takeCommands() { kernel.receive(command, at: now) }
      for case .ask(let id, let question) in pairing.takeActions() {
        _ = pairing.answer(
          id, question == .enterDigits ? .digits(PairingPeer.digits) : .digitsMatch(true), at: now)
      }
      let times = [kernel.events.first?.time, kernel.completion, pairing.deadline]
      guard let next = times.compactMap({ $0 }).min() else { break }
      now = max(now, next)
      kernel.advance(to: now)
      if let event = kernel.events.first, event.time <= now {
        kernel.events.removeFirst()
        bytes += [UInt8(event.event.bytes.count)] + event.event.bytes
        pairing.receive(event.event, at: now)
      } else {
        bytes.append(0)
        pairing.advance(to: now)
      }
    }
    return bytes
  }
}

/// Reads a file `info` of bluetoothd.
func fuzzStoredBond(_ bytes: RawSpan) {
  guard let (_, record) = try? StoredBonds.bond(inFile: bytes.bytes) else { return }
  precondition(record.keys.areStorable, "a bond that cannot be stored")
}

/// A file with every group.
var storedBondSeeds: [[UInt8]] {
  let key = "Key=000102030405060708090A0B0C0D0E0F\n"
  let longTerm = key + "Authenticated=2\nEncSize=16\nEDiv=0\nRand=0\n"
  let text =
    "[IdentityResolvingKey]\n\(key)[PeripheralLongTermKey]\n\(longTerm)[SlaveLongTermKey]\n\(longTerm)"
    + "[LongTermKey]\n\(longTerm)[LinkKey]\n\(key)Type=7\nPINLength=0\n[General]\nAddressType=static\n"
  return [Array(text.utf8)]
}
