// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import Pairing

extension PairingNotice {
  /// The limit that applies; nil for lines that only the machine and its operators cause.
  var limitedKind: LimitedLineKind? {
    switch self {
    case .backend: nil
    case .foreignAttemptRefused: .foreignPairings
    case .bondWasLost: .lostBonds
    case .keysWereRejected: .rejectedKeys
    case .keysWereLeftOut: .leftOutKeys
    case .settingWasRejected: .rejectedSettings
    case .busMessageWasIgnored(.unreadable): .unreadableBusMessages
    case .busMessageWasIgnored(.otherProgram): .foreignBusMessages
    case .busMessageWasIgnored(.invalidDigits): .invalidBusDigits
    }
  }

  /// What happened. Keys are never part of it.
  var sentence: String {
    switch self {
    case .backend(.kernel):
      "devices are paired through the kernel; the agent has loaded the keys of its bonds"
    case .backend(.bluetoothd): "bluetoothd runs, and the keys of the agent's own bonds are not in the kernel"
    case .foreignAttemptRefused(let device):
      "a pairing with \(Self.text(device)) that the agent did not begin was refused"
    case .bondWasLost(let device):
      "the bond with \(Self.text(device)) is lost: pair the accessory again with accessoryctl pair"
    case .keysWereRejected(let status):
      "the kernel rejected the keys of the agent's bonds (status \(status.rawValue)): accessories that are paired cannot be "
        + "connected until it takes them"
    case .keysWereLeftOut(let count, let first):
      "the kernel takes at most \(MgmtCommand.longTermKeysMax) keys: those of \(count) "
        + "\(count == 1 ? "bond" : "bonds") are not loaded, the first of which is with \(Self.text(first)); remove "
        + "accessories that are paired and not used"
    case .settingWasRejected(let opcode, let status):
      "the kernel rejected a setting for pairings (status \(status.rawValue)): \(Self.consequence(of: opcode))"
    case .busMessageWasIgnored(let reason): reason.sentence
    }
  }

  private static func consequence(of opcode: MgmtOpcode) -> String {
    switch opcode {
    case .setBondable: "Bondable is not as the agent wants it, and no bond can be made until it is"
    case .setDebugKeys: "debug keys may be on, and a bond that is made with one is not kept"
    case .setSecureConnections:
      "Secure Connections may be off, and devices are then paired by the older procedure, whose bonds are weaker"
    default: "Secure Simple Pairing may be off, and bonds then come without a key for BR/EDR"
    }
  }

  private static func text(_ device: DeviceAddress) -> String { AddressText.text(of: device.bits) }
}

extension BusMessageError {
  /// What was ignored, and where it is counted.
  fileprivate var sentence: String {
    let ignored =
      switch self {
      case .invalidDigits:
        "bluetoothd asked about digits above 999999, which cannot be shown; the question was refused, and its pairing ended"
      case .unreadable: "a message from bluetoothd or the system bus cannot be read, and was ignored"
      case .otherProgram:
        "another program on the system bus sent a message that only bluetoothd may send, and it was ignored"
      }
    return ignored + #"; accessoryd_bluetoothd_messages_total{reason="malformed"} counts such messages"#
  }
}

extension MgmtError {
  /// The limit that applies.
  var limitedKind: LimitedLineKind {
    switch self {
    case .truncated: .truncatedMgmtMessages
    case .invalidValue: .invalidMgmtMessages
    case .invalidDigits: .invalidMgmtDigits
    }
  }

  /// What was ignored, and where it is counted.
  var sentence: String {
    switch self {
    case .truncated(let byteCount):
      "a management event of the kernel ends before its last field, after \(byteCount) bytes, and was ignored; "
        + "accessoryd_management_messages_truncated_total counts such events"
    case .invalidValue(let event):
      "a management event of the kernel (code \(event)) has a value that its format does not allow, and was ignored; "
        + "accessoryd_management_messages_invalid_total counts such events"
    case .invalidDigits(let event, let device):
      "a management event of the kernel (code \(event)) about a pairing with \(AddressText.text(of: device.bits)) has "
        + "digits above 999999, which cannot be shown, and was ignored; "
        + "accessoryd_management_messages_invalid_total counts such events"
    }
  }
}
