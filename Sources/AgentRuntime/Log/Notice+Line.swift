// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import JSON
import Manifest
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
  /// The limit that applies; nil for lines that only the machine and its operators cause.
  var limitedKind: LimitedLineKind? {
    switch self {
    case .radio, .initializationFailed, .radioRecovery, .radioGivenUp, .boardFollowsAdapter,
      .switchedOnAfterBluetoothd,
      .reloaded,
      .reloadRefused, .keysExported, .bondImported, .accessoryRemoved, .registryReset:
      nil
    case .setup(let notice): notice.limitedKind
    case .link(.connected): .connections
    case .link(.failed): .connectionsFailed
    case .link(.ended): .connectionsEnded
    case .pairing(let notice): notice.limitedKind
    case .mgmtMessageIgnored(let error): error.limitedKind
    case .networks: nil
    case .turnedAway(.unknownAccount, _): .unknownAccounts
    case .turnedAway(.full, _): .full
    case .turnedAway(.userFull, _): .userFull
    case .closed(.overdue, _): .overdue
    case .closed(.frame(.oversized), _): .longMessages
    case .closed(.frame(.truncated), _): .truncatedMessages
    case .closed(.call, _): .noJSON
    case .closed(.replyTooLong, _): .longReplies
    case .reportsCutOff: .slowReaders
    }
  }

  var level: LogLevel {
    switch self {
    case .radio(.on, _, _), .radio(.off, _, _), .radio(.recovering, before: .absent, _): .info
    case .radio, .initializationFailed, .radioRecovery, .radioGivenUp: .warning
    case .switchedOnAfterBluetoothd, .turnedAway, .closed, .reportsCutOff, .keysExported, .bondImported,
      .accessoryRemoved, .registryReset:
      .notice
    case .reloaded, .boardFollowsAdapter: .notice
    case .link, .pairing(.backend), .networks(.source), .networks(.error(nil, _)): .info
    case .networks(.error): .warning
    case .pairing, .mgmtMessageIgnored: .warning
    case .setup(let notice): notice.level
    case .reloadRefused: .error
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
