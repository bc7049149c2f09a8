// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
package import Varlink

/// One connection: who calls, the bytes in both directions, and the call in progress.
package final class Client {
  /// The kind of slot that a connection takes.
  enum Place: Equatable {
    case regular
    /// An operator's when no regular slot is free, for the reason `lack`. It serves calls that end by themselves.
    case reserved(lack: AdmissionError)
    /// A peer that is not admitted; its first call gets the reason.
    case turnedAway(AdmissionError)
  }

  package let id: ClientID
  let place: Place
  /// When the connection ends at the latest; nil for a regular one.
  let end: Instant?
  let peer: Peer
  /// What the client may do by the manifest in force.
  var rights: Rights
  package var connection: ServerConnection
  /// Whether the last call is one that only operators and bridges may make, and the client is no operator.
  var callsAsBridge = false
  /// The replies that the call in progress still has to send; nil between calls.
  var stream: (any ReplyStream)?
  /// The stream's next reply while the output has no room for it.
  var unsentReply: [UInt8]?
  /// The socket that goes with a reply which was not sent yet.
  var passed: PassedSocket?
  /// The registry that the client is sending, line by line.
  var registryImport: RegistryImporting?

  init(
    _ id: ClientID, _ peer: Peer, _ rights: Rights, _ place: Place, end: Instant?, _ limits: ConnectionLimits
  ) {
    self.id = id
    self.place = place
    self.end = end
    self.peer = peer
    self.rights = rights
    connection = ServerConnection(limits: limits)
  }

  var isTurnedAway: Bool { if case .turnedAway = place { true } else { false } }

  /// Ends the call in progress from outside its stream.
  func endCall(with message: [UInt8]) {
    (stream, unsentReply) = (nil, nil)
    connection.reply(message)
  }
}

/// A socket that goes to a client.
public enum ClientSocket: Equatable, Sendable {
  /// That of a connection to an accessory.
  case link(LinkID)
  /// The reader's of a stream of reports.
  case reports(ReportStreamID)
}

/// A socket that goes to a client with its reply.
struct PassedSocket {
  let socket: ClientSocket
  /// How many bytes of earlier replies have to be sent before.
  var precedingByteCount: Int
}

/// A client for as long as it is connected. The next client in the same slot has another generation.
public struct ClientID: Hashable, Sendable {
  let slot: Int
  let generation: UInt64
}

/// Whether a peer that connects is admitted.
public enum Admission: Equatable, Sendable {
  case admitted(ClientID)
  /// The peer is connected for a moment, so that its first call can be refused with the reason.
  case turnedAway(ClientID, AdmissionError)
  /// The socket is closed at once, without a message.
  case refused(AdmissionError)
}

/// Why a peer is turned away.
public enum AdmissionError: String, CaseIterable, Sendable {
  /// The account is no operator's, app's or bridge's.
  case unknownAccount
  /// Every slot is taken, or those that are left are kept for operators.
  case full
  /// The user, or the app's own socket, has as many connections as one may have.
  case userFull
}

extension AdmissionError: Error {}
