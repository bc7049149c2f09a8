// SPDX-License-Identifier: GPL-3.0-or-later

import Varlink

/// One connection: who calls, the bytes in both directions, and the call in progress.
final class Client {
  let id: ClientID
  let peer: Peer
  /// What the client may do by the manifest in force.
  var rights: Rights
  var connection: ServerConnection
  /// The replies that the call in progress still has to send; nil between calls.
  var stream: (any ReplyStream)?
  /// The stream's next reply while the output has no room for it.
  var unsentReply: [UInt8]?
  /// The registry that the client is sending, line by line.
  var registryImport: RegistryImporting?

  init(_ id: ClientID, _ peer: Peer, _ rights: Rights, _ limits: ConnectionLimits) {
    self.id = id
    self.peer = peer
    self.rights = rights
    connection = ServerConnection(limits: limits)
  }

  /// Ends the call in progress from outside its stream.
  func endCall(with message: [UInt8]) {
    stream = nil
    connection.reply(message)
  }
}

/// A client for as long as it is connected. The next client in the same slot has another generation.
public struct ClientID: Hashable, Sendable {
  let slot: Int
  let generation: UInt64
}

/// Whether a peer that connects is admitted.
public enum Admission: Equatable, Sendable {
  case admitted(ClientID)
  /// The socket is closed at once, without a message.
  case refused(AdmissionError)
}

/// Why a peer is turned away.
public enum AdmissionError: String, CaseIterable, Sendable {
  /// The account is neither an operator's nor an app's.
  case unknownAccount = "stranger"
  /// Every slot is taken, or those that are left are kept for operators.
  case full
  /// The user has as many connections as one user may have.
  case userFull
}

extension AdmissionError: Error {}
