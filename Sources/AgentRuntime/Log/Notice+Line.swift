// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import Interfaces
import JSON
import Manifest
import Pairing
import Registry
import Setup
import Varlink
import Wireless

/// Kinds of lines that an untrusted party can cause: at most one a minute of each is logged.
enum LimitedLineKind: Hashable, CaseIterable, Sendable {
  case unknownAccounts, full, userFull, longMessages, truncatedMessages, noJSON, longReplies, slowReaders,
    overdue
  case connections, connectionsFailed, connectionsEnded
  case foreignPairings, lostBonds, rejectedKeys, leftOutKeys, rejectedSettings
  case truncatedMgmtMessages, invalidMgmtMessages, unreadableBusMessages, foreignBusMessages
  case invalidMgmtDigits, invalidBusDigits
  case exhaustions, registryFailures, touchProgram, requestProgram, foreignAccessories, disclosed, resolved,
    automaticFailed
}

extension Notice {
  var level: LogLevel { row.level }
  var limitedKind: LimitedLineKind? { row.limit }

  /// How much it matters, and the limit that applies; nil for lines that only the machine and its operators cause.
  private var row: (level: LogLevel, limit: LimitedLineKind?) {
    switch self {
    case .radio(.on, _, _), .radio(.off, _, _), .radio(.recovering, before: .absent, _): (.info, nil)
    case .radio, .initializationFailed, .radioRecovery, .radioGivenUp: (.warning, nil)
    case .switchedOnAfterBluetoothd, .keysExported, .bondImported, .accessoryRemoved, .registryReset,
      .reloaded, .boardFollowsAdapter:
      (.notice, nil)
    case .reloadRefused: (.error, nil)
    case .setup(let notice): notice.row
    case .link(.connected): (.info, .connections)
    case .link(.failed): (.info, .connectionsFailed)
    case .link(.ended): (.info, .connectionsEnded)
    case .pairing(.backend): (.info, nil)
    case .pairing(let notice): (.warning, notice.limitedKind)
    case .mgmtMessageIgnored(let error): (.warning, error.limitedKind)
    case .networks(.source), .networks(.error(nil, _)): (.info, nil)
    case .networks(.error): (.warning, nil)
    case .turnedAway(.unknownAccount, _): (.notice, .unknownAccounts)
    case .turnedAway(.full, _): (.notice, .full)
    case .turnedAway(.userFull, _): (.notice, .userFull)
    case .closed(.overdue, _): (.notice, .overdue)
    case .closed(.frame(.oversized), _): (.notice, .longMessages)
    case .closed(.frame(.truncated), _): (.notice, .truncatedMessages)
    case .closed(.call, _): (.notice, .noJSON)
    case .closed(.replyTooLong, _): (.notice, .longReplies)
    case .reportsCutOff: (.notice, .slowReaders)
    }
  }

  /// What happened.
  var sentence: String {
    switch self {
    case .radio(let state, _, let detail): "radio \(state.rawValue): \(detail)"
    case .initializationFailed(let reason, let milliseconds):
      "the radio was not initialized: \(reason.sentence); the agent tries again in \(Self.seconds(milliseconds))"
    case .radioRecovery(let action, let reason): "\(reason.sentence); \(action.sentence)"
    case .radioGivenUp: "the radio has been absent too long: every found device now counts as lost"
    case .boardFollowsAdapter(let board):
      "the profile \(board) counts now, as the bus of the adapter decides; accessoryctl status shows how long it listens"
    case .switchedOnAfterBluetoothd:
      "bluetoothd switched the adapter off as it ended; the agent switches it on again, which power = \"keep\" in the "
        + "manifest prevents"
    case .turnedAway(let refusal, let user): "a program of user \(user) was refused: \(refusal.sentence)"
    case .closed(let reason, let user): "a connection of user \(user) was closed: \(reason.sentence)"
    case .reportsCutOff(let user):
      "a stream of reports of user \(user) was ended: its reader took nothing for 30 s"
    case .reloaded(let summary, let warnings):
      "the manifest was read again; items kept: \(summary.itemsKept), added: \(summary.itemsAdded), "
        + "removed: \(summary.itemsRemoved)"
        + (warnings == 0 ? "" : "; warnings: \(warnings), which the lines above name")
    case .accessoryRemoved(let user, let accessory): "user \(user) removes the accessory \(accessory)"
    case .registryReset(let user): "user \(user) puts an empty registry in the place of the present one"
    case .keysExported(let user): "user \(user) exported the registry with the keys of its bonds"
    case .bondImported(let user, let device):
      "user \(user) handed over the keys of the bond with \(AddressText.text(of: device.bits))"
    case .setup(let notice): notice.sentence
    case .link(let notice): notice.sentence
    case .pairing(let notice): notice.sentence
    case .mgmtMessageIgnored(let error): error.sentence
    case .networks(.error(let error?, let interface)): error.sentence(interface: interface)
    case .networks(.error(nil, let interface)):
      "there is no problem with the networks of \(interface) any more"
    case .networks(.source(.extensions, let interface)):
      "networks of \(interface) are read by wireless extensions, with libiw"
    case .networks(.source(.nl80211, let interface)): "networks of \(interface) are read by nl80211"
    case .reloadRefused(let findings):
      "the new manifest was refused, and the old one stays in force: the lines above name "
        + (findings == 1 ? "one error" : "\(findings) errors")
    }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}

extension AdmissionError {
  fileprivate var sentence: String {
    switch self {
    case .unknownAccount: "its account is neither an operator's nor an app's of the manifest"
    case .full: "all connections are in use"
    case .userFull: "the user, or the app's own socket, has the most connections that one may have"
    }
  }
}

extension ClosingReason {
  fileprivate var sentence: String {
    switch self {
    case .frame(.oversized(let byteCount)): "\(byteCount) bytes arrived without the end of a message"
    case .frame(.truncated(let byteCount)): "it ended \(byteCount) bytes into a message"
    case .call(.json(let problem)) where problem.kind == .tooDeep: "a message was nested too deep"
    case .call(.json(let problem)) where problem.kind == .duplicateName: "a message had the same member twice"
    case .call(.json(let problem)) where problem.kind == .tooManyValues: "a message had too many values"
    case .call(.json(let problem)) where problem.kind == .numberOutOfRange:
      "a message had a number that is too long or too large"
    case .call(.json): "a message was not JSON"
    case .call(.notAnObject): "a message was not a JSON object"
    case .overdue: "a message was not finished, or replies were not read, within 30 s"
    case .replyTooLong(let byteCount): "a reply had \(byteCount) bytes, more than a reply may have"
    }
  }
}

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

extension SetupNotice {
  /// How much it matters, and the limit that applies; nil for lines that are rare or that an operator causes.
  var row: (level: LogLevel, limit: LimitedLineKind?) {
    switch self {
    case .unknownIdentifier: (.notice, .foreignAccessories)
    case .disclosed: (.info, .disclosed)
    case .resolved: (.info, .resolved)
    case .automaticFailed: (.warning, .automaticFailed)
    case .bondLost: (.warning, nil)
    case .requestOpened, .migrationLeftOut, .paired, .pairingFailed, .added, .removed, .replaced, .suspended,
      .restored, .registryImported:
      (.notice, nil)
    case .transition: (.debug, nil)
    }
  }

  /// What happened.
  var sentence: String {
    switch self {
    case .requestOpened(let request, let sentence):
      "\(sentence): request \(request.text), for accessoryctl pick"
    case .migrationLeftOut(let app, let reason, let count):
      "\(app) does not have \(count == 1 ? "a device" : "\(count) devices") again: \(reason)"
    case .added(let app, let item, let identifier):
      "\(Self.path(app, item)) has a new accessory, \(identifier.text)"
    case .removed(let app, let item, let identifier):
      "\(Self.path(app, item)) has lost its accessory \(identifier.text)"
    case .replaced(let app, let item, let identifier):
      "\(Self.path(app, item)) has another device for its accessory \(identifier.text)"
    case .suspended(let app, let item, let identifier):
      "\(Self.path(app, item)) has its accessory \(identifier.text) suspended: the app now belongs to another account; "
        + "accessoryctl authorize \(app) confirms this"
    case .restored(let app, let item, let identifier):
      "\(Self.path(app, item)) has its suspended accessory \(identifier.text) again"
    case .unknownIdentifier(let app): "\(app) asked about an accessory that is not its own"
    case .resolved(let app, let identifier): "\(app) received the address of its accessory \(identifier.text)"
    case .disclosed(let app): "\(app) received a device that no operator has chosen yet"
    case .paired(let app, let method, let isAuthenticated):
      "a device was paired for \(app) \(method.phrase); the bond is \(isAuthenticated ? "" : "not ")authenticated"
    case .pairingFailed(let app, let reason): "a device was not paired for \(app): \(reason)"
    case .bondLost(let app, let item, let identifier):
      "the bond of \(Self.path(app, item)) with its accessory \(identifier.text) is lost; "
        + "accessoryctl pair \(identifier.text) pairs it again"
    case .automaticFailed(let app, let item, let reason, let seconds):
      "a device was not set up for \(app)/\(item): \(reason); the agent tries again after \(seconds / 60) min"
    case .registryImported(let user, let accessories, let keyed):
      "user \(user) replaces the registry by an export of \(accessories) "
        + "\(accessories == 1 ? "accessory" : "accessories"), \(keyed) of them with the keys of bonds"
    case .transition(let flow, let app, let old, let new):
      "setup \(flow.text) of \(app): \(old) -> \(new)"
    }
  }

  private static func path(_ app: String, _ item: String?) -> String { item.map { "\(app)/\($0)" } ?? app }
}

extension PairingMethod {
  fileprivate var phrase: String {
    switch self {
    case .justWorks: "without a person"
    case .digitsEntered: "with digits that a person typed at the gateway"
    case .digitsShown: "with digits that a person typed at the device"
    case .digitsCompared: "with digits that a person compared"
    }
  }
}

extension LinkNotice {
  /// What happened.
  var sentence: String {
    switch self {
    case .connected(let app, let identifier): "\(app) is connected to its accessory \(identifier.text)"
    case .failed(let app, let identifier, let failure):
      "\(app) was not connected to its accessory \(identifier.text): \(failure.sentence)"
    case .ended(let app, let identifier, let end, let seconds):
      "\(app) is no longer connected to its accessory \(identifier.text), after \(seconds) s: \(end.sentence)"
    }
  }
}

extension LinkErrorKind {
  fileprivate var sentence: String {
    switch self {
    case .timeout: "it was not in reach, or did not accept the connection"
    case .inUse: "it is connected already, to an app or to another program"
    case .bond: "it does not accept the keys of its bond, or the kernel lacks them; the bond is lost"
    case .broken: "the connection broke off while it was made"
    case .radio: "the radio was closed"
    case .resources: "no file descriptor or memory was free"
    case .refused: "the kernel could not connect"
    case .abandoned: "the app gave it up, or lost its right to it"
    }
  }
}
