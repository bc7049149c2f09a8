// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Interfaces
import Registry
import Setup

// Why an app is not connected to its accessory. No sentence names another app. The fields `accessory.…` tell the causes
// apart: only errors with the same cause have the same one.

extension SetupError {
  static let isInUse = Self(
    .userRestricted, "the accessory is connected already, to an app or to another program of the gateway",
    cure: "try again when that connection has ended; an operator can end it with accessoryctl disconnect")
  static let isEnding = Self(
    .connectionFailed, "the accessory is being disconnected", cure: "try again after a second")
  static let tooManyLinks = Self(
    .connectionFailed,
    "of the gateway's \(AccessoryLinks.countMax) connections the app has its share, and no other is free",
    cure: "disconnect one, and try again")
  static let isOutOfReach = Self(
    .connectionFailed, field: "accessory.reach",
    "the accessory was not connected within \(AccessoryLinks.connectMilliseconds / 1000) s",
    cure: "bring it into reach, make sure that nothing else is connected to it, and try again")
  static let wasReplaced = Self(
    .userCancelled, "the session has called Connect for the accessory again",
    cure: "use the reply to the later call")

  static var radioIsGone: Self { radioIsDown("it was closed") }

  static func radioIsDown(_ detail: String) -> Self {
    Self(
      .connectionFailed, "the gateway's radio is down: \(detail)",
      cure: "try again later; accessoryctl status says more about the radio")
  }

  static let linkIsLost = Self(
    .connectionFailed, field: "accessory.link", "the connection was lost before it was handed over",
    cure: "try again")
  static let isNotConnected = Self(
    .connectionFailed, "the app is not connected to the accessory", cure: "call Connect first")
  static let hasNoReading = Self(
    .connectionFailed, "the controller did not say how strong the signal is", cure: "try again")

  // MARK: - Bonds

  static func bondIsLost(_ accessory: RandomIdentifier) -> Self {
    Self(
      .invalidRequest, field: "accessory.bond",
      "the accessory's bond is lost: the accessory or the gateway no longer has its keys",
      cure: "an operator of the gateway pairs it again with accessoryctl pair \(accessory.text)")
  }

  static let bondIsNotAuthenticated = Self(
    .invalidRequest, field: "accessory.isBondAuthenticated",
    "the manifest demands an authenticated bond for this accessory, which has none",
    cure:
      "an operator of the gateway removes it from every app that has it and sets it up again, or takes the demand out "
      + "of the manifest")

  static func keysAreAbsent(_ absence: PairingLink.KeyAbsence) -> Self {
    switch absence {
    case .bluetoothdRuns:
      Self(
        .connectionFailed,
        "the gateway keeps the accessory's bond, and cannot use it while bluetoothd runs",
        cure:
          "an operator of the gateway stops and disables bluetoothd, or removes the accessory and sets it up again"
      )
    case .bluetoothdHasEnded: keysAreUnsettled
    case .bluetoothdDoesNotRun:
      Self(
        .connectionFailed, "bluetoothd keeps the accessory's bond, and does not run",
        cure:
          "an operator of the gateway starts bluetoothd, or takes its bonds over with accessoryctl registry import-bonds"
      )
    case .listIsFull:
      Self(
        .connectionFailed,
        "the kernel takes at most \(MgmtCommand.longTermKeysMax) keys, and the gateway has more: those of the accessory's "
          + "bond are not loaded",
        cure: "an operator of the gateway removes accessories that are paired and not used any longer")
    }
  }

  static let keysAreUnsettled = Self(
    .connectionFailed,
    "bluetoothd has started or ended, and the keys of the accessory's bond are not loaded yet",
    cure: "try again after a few seconds")

  // MARK: - What this gateway cannot do

  static let accessIsExclusive = Self(
    .invalidRequest,
    "with access = \"exclusive\" the agent alone uses the adapter, and the kernel makes no connections with it",
    cure: "set access = \"shared\" in the gateway's manifest")
  static let radioIsNoAdapter = Self(
    .invalidRequest, "the gateway's radio is simulated or recorded, and connects to nothing",
    cure: "name an adapter as radio in the gateway's manifest")
  static let agentMayNotDisconnect = Self(
    .invalidRequest,
    "the agent lacks the capability CAP_NET_ADMIN, without which it could not end the connection",
    cure: "give the agent this capability")

  // MARK: - Reports

  static func of(_ error: LinkError, _ accessory: RandomIdentifier) -> Self {
    switch error {
    case .busy: isInUse
    case .bondRefused, .isUnsafe: bondIsLost(accessory)
    case .broken:
      Self(
        .connectionFailed, field: "accessory.link",
        "the accessory was heard, but the connection broke off while it was made",
        cure: "try again, nearer to the gateway if it happens again")
    case .exhausted:
      Self(
        .connectionFailed, "the agent has no file descriptor or memory free",
        cure: "try again; raise LimitNOFILE of the agent's unit if this persists")
    case .refused(let reason):
      Self(
        .connectionFailed, "the accessory was not connected: \(reason)",
        cure: "try again; the kernel's log may say more")
    }
  }

  /// The error of an attempt that the agent ends.
  static func of(_ end: LinkEnd) -> Self {
    switch end {
    case .removed: noSuchAccessory
    case .unauthenticated: bondIsNotAuthenticated
    case .session: noSession
    case .operator:
      Self(.userCancelled, "an operator ended the connection", cure: "ask the gateway's operator")
    case .radio: radioIsGone
    case .app, .accessory, .lost, .bond: linkIsLost
    }
  }
}
