// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest
import Registry

/// The own sockets of the apps with `socket = true`, as the manifest in force says.
///
/// Capacity: a socket for each app of the manifest.
struct AppSockets: ~Copyable {
  /// An app and the account that may open its socket; nil for one that the system does not know.
  struct Wanted: Equatable, Sendable {
    let app: String
    let account: AccountID?
  }

  /// A socket, and the token that its listener is watched with.
  final class Listening {
    let wanted: Wanted
    let listener: UnixListener
    let token: UInt64

    init(_ wanted: Wanted, _ listener: consuming UnixListener, token: UInt64) {
      self.wanted = wanted
      self.listener = listener
      self.token = token
    }
  }

  private let folder: AppSocketFolder
  private(set) var sockets: [Listening] = []

  init(besideSocket socket: String) { folder = AppSocketFolder(besideSocket: socket) }

  /// The listener of an app; nil if it has none any more.
  func listening(forApp app: String) -> Listening? { sockets.first { $0.wanted.app == app } }

  /// Opens the sockets that are wanted, and removes the others. A socket whose app and account stay is untouched.
  /// Returns a sentence for each socket that cannot be there.
  mutating func follow(_ wanted: [Wanted], isWatching: Bool, _ loop: inout LoopContext) -> [String] {
    let (kept, gone) = (
      sockets.filter { wanted.contains($0.wanted) }, sockets.filter { !wanted.contains($0.wanted) }
    )
    for socket in gone {
      folder.remove(socketOfApp: socket.wanted.app)
      // Closing the descriptor removes it from the epoll set.
      loop.registry.remove(socket.token)
    }
    sockets = kept
    folder.removeLeftovers(exceptOf: Set(wanted.map(\.app)))
    var errors: [String] = []
    for socket in wanted where !kept.contains(where: { $0.wanted == socket }) {
      do throws(AppSocketError) {
        try open(socket, isWatching: isWatching, &loop)
      } catch {
        errors.append(error.sentence)
      }
    }
    return errors
  }

  private mutating func open(
    _ wanted: Wanted, isWatching: Bool, _ loop: inout LoopContext
  ) throws(AppSocketError) {
    let listener = try folder.listen(forApp: wanted.app, wanted.account)
    let token = loop.insert(.listener(app: wanted.app))
    do throws(SystemError) {
      if isWatching { try loop.epoll.add(listener.descriptor, .readable, token: token) }
    } catch {
      loop.registry.remove(token)
      folder.remove(socketOfApp: wanted.app)
      throw AppSocketError(wanted.app, folder.path(ofApp: wanted.app), .system(error))
    }
    sockets.append(Listening(wanted, listener, token: token))
  }

  /// Removes the sockets' names, so that no client finds the agent any more.
  func withdraw() {
    for socket in sockets { folder.remove(socketOfApp: socket.wanted.app) }
  }
}

extension AgentCore.Configuration {
  /// The apps that are to have a socket of their own.
  var appSockets: [AppSockets.Wanted] {
    manifest.apps.filter(\.hasOwnSocket).map {
      AppSockets.Wanted(app: $0.name, account: access.account(ofApp: $0.name))
    }
  }
}
