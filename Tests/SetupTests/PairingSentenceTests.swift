// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Pairing
@testable import Setup
import Testing

@Suite("Sentences about pairings")
struct PairingSentenceTests {
  static let errors: [PairingError] = [
    .refused, .wrongDigits, .digitsDiffer, .invalidDigits(isKernel: true), .invalidDigits(isKernel: false),
    .timeout(isAsking: true), .timeout(isAsking: false), .deviceIsGone,
    .alreadyPaired(isRemoved: true), .alreadyPaired(isRemoved: false), .alreadyBonded,
    .notAuthenticated(.justWorks), .notAuthenticated(.digitsShown), .noKeys, .cancelled,
    .busy,
    .radioIsGone, .notPermitted, .inputDeviceNeedsBluetoothd, .needsSharedAccess,
    .bluetoothdChanged,
    .unknownToBluetoothd, .otherProgram, .radioIsSimulated, .notSupported("too old"),
  ]

  @Test("Each error has a sentence of its own, and a cure")
  func unique() {
    let refusals: [SetupError] = [
      .bondIsNotAuthenticated, .bondIsUnproven, .noPersonCanAuthenticate, .isBeingPaired, .pairingNeedsPerson,
      .lostBondIsKept, .identityHasBond,
    ]
    let failures = Self.errors.map(\.setupFailure) + refusals
    #expect(Set(failures.map(\.reason)).count == failures.count)
    #expect(failures.allSatisfy { !$0.cure.isEmpty && $0.field == nil })
    // A reason is the second half of a sentence.
    #expect(failures.allSatisfy { $0.reason.first?.isLowercase == true && !$0.reason.hasSuffix(".") })
  }

  @Test("A renewal that finds no device says what to do with one that got another identity")
  func renewal() {
    let failure = PairingError.timeout(isAsking: false).renewalFailure
    #expect(failure.reason.contains("identity"))
    #expect(failure.cure.contains("accessoryctl remove") && failure.cure.contains("set it up again"))
    for error in Self.errors where error != .timeout(isAsking: false) {
      let (renewal, setup) = (error.renewalFailure, error.setupFailure)
      #expect(renewal.code == setup.code && renewal.reason == setup.reason)
      // Nothing is chosen for a renewal.
      let cure = setup.cure.replacing("choose it again", with: "pair it again with accessoryctl pair")
      #expect(renewal.cure == cure && !cure.contains("choose"))
    }
  }

  @Test("The bond of another program can be removed from bluetoothd, also when it is not recognised")
  func otherBond() {
    for error in [PairingError.alreadyPaired(isRemoved: false), .unknownToBluetoothd] {
      #expect(error.setupFailure.cure.contains("bluetoothctl remove"))
    }
    #expect(PairingError.alreadyPaired(isRemoved: false).setupFailure.cure.hasSuffix("restart bluetoothd"))
  }

  @Test("The agent's own bond is no other program's, and its device is chosen again")
  func ownBond() {
    let failure = PairingError.alreadyBonded.setupFailure
    #expect(!failure.cure.contains("bluetoothctl") && !failure.reason.contains("registry"))
    #expect(failure.cure.contains("under its permanent address, and choose it again"))
  }

  @Test("What an operator reads before a choice says once that the gateway cannot pair, why, and what to do")
  func note() {
    for error in Self.errors {
      let failure = error.setupFailure
      #expect(error.note.hasSuffix("\(failure.reason); \(failure.cure)"))
      #expect(error.note.hasPrefix("this gateway cannot pair"))
      #expect(error.note.components(separatedBy: "cannot pair").count == 2)
    }
    #expect(
      PairingError.radioIsSimulated.note.hasSuffix("name an adapter as radio in the gateway's manifest"))
  }

  @Test("What bluetoothd or the kernel said is in the sentence")
  func word() {
    #expect(PairingError.notSupported("too old").setupFailure.reason.hasSuffix("too old"))
  }
}
