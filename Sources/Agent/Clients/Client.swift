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
