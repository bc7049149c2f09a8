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

/// The folder `app` beside the agent's socket, where each app with `socket = true` has a socket of its name.
///
/// The agent creates the folder when the first app needs it. Any account may enter it, and only the agent may list it. A
/// socket may be opened by the app's account, by root and by the agent. The lock beside the agent's own socket keeps a
/// second agent from the folder.
struct AppSocketFolder: Sendable {
  /// `sockaddr_un` holds 108 bytes, the last a zero; the interim name is one byte longer.
  private static let pathBytesMax = 106
  /// Entered by any account, listed by the agent.
  private static let mode: UInt32 = 0o711
  private static let socketMode: UInt32 = 0o600

  let path: String

  init(besideSocket socket: String) { path = DurableFile.folder(of: socket) + "/app" }

  func path(ofApp app: String) -> String { path + "/" + app }

  /// No app has this name, because names begin with a letter or digit.
  private func interimPath(ofApp app: String) -> String { path + "/." + app }

  /// Listens at the app's socket, replacing one that a killed agent has left. Without an account, only root and the
  /// agent may open it.
  func listen(forApp app: String, _ account: AccountID?) throws(AppSocketError) -> UnixListener {
    let socket = path(ofApp: app)
    guard interimPath(ofApp: app).utf8.count <= Self.pathBytesMax else {
      throw AppSocketError(app, socket, .tooLong(byteCountMax: Self.pathBytesMax - 1))
    }
    try make(forApp: app)
    guard FileName.content(of: socket) != .other else { throw AppSocketError(app, socket, .notASocket) }
    do throws(SystemError) {
      return try UnixListener(
        replacing: socket, interim: interimPath(ofApp: app), mode: Self.socketMode,
        grant: account.map(SocketGrant.init))
    } catch {
      throw AppSocketError(app, socket, error.call == .accessList ? .accessList(error) : .system(error))
    }
  }

  private func make(forApp app: String) throws(AppSocketError) {
    do throws(SystemError) { try DurableFile.makeFolder(path, mode: Self.mode) } catch {
      throw AppSocketError(app, path(ofApp: app), .folder(error))
    }
    guard isOwn else { throw AppSocketError(app, path(ofApp: app), .foreignFolder) }
  }

  /// Whether the folder is there, is no link, and belongs to the agent.
  private var isOwn: Bool {
    guard let status = try? DurableFile.status(of: path) else { return false }
    return status.mode & 0o170000 == 0o040000 && status.owner == ThisProcess.user
  }

  func remove(socketOfApp app: String) { FileName.remove(path(ofApp: app)) }

  /// Removes the sockets that a killed agent has left, except those of `apps`, which are replaced without a gap. Other files stay.
  func removeLeftovers(exceptOf apps: Set<String>) {
    guard isOwn, let names = try? FolderContents.names(in: path) else { return }
    for name in names where !apps.contains(name) && FileName.content(of: path + "/" + name) == .socket {
      FileName.remove(path + "/" + name)
    }
  }
}

/// Why an app has no socket of its own. The agent and the other apps go on without it.
struct AppSocketError: Error, Equatable {
  struct Reason: Equatable {
    fileprivate let sentence: String

    static func tooLong(byteCountMax: Int) -> Self {
      Self(
        sentence:
          "a socket's path has at most \(byteCountMax) bytes; give the app a shorter name, or the agent a shorter path "
          + "with --socket")
    }
    static let notASocket = Self(
      sentence: "another kind of file has that name; remove it, and run accessoryctl reload")
    /// The folder cannot be created.
    static func folder(_ error: SystemError) -> Self {
      Self(
        sentence: error.isPermission
          ? "the agent's account may not write the folder above its own; give it that folder, or another one with --socket"
          : "the folder cannot be created: \(error.sentence); run accessoryctl reload when it can")
    }
    /// The folder is a link or another kind of file, or belongs to another account.
    static let foreignFolder = Self(
      sentence:
        "its folder is no folder of the agent's account; remove what has that name, and run accessoryctl reload"
    )
    /// The socket cannot be given to the app's account.
    static func accessList(_ error: SystemError) -> Self {
      guard error.isUnsupported else { return system(error) }
      return Self(
        sentence:
          "its file system has no access control lists, which let the app's account in; put the socket on a tmpfs with "
          + "--socket")
    }
    static func system(_ error: SystemError) -> Self {
      Self(sentence: "\(error.sentence); correct that, and run accessoryctl reload")
    }
  }

  let app: String
  let path: String
  let reason: Reason

  init(_ app: String, _ path: String, _ reason: Reason) {
    (self.app, self.path, self.reason) = (app, path, reason)
  }

  /// What happened, where, and what to do.
  var sentence: String { "the app \(quoted(app)) has no socket \(quoted(path)): \(reason.sentence)" }
}

extension SocketGrant {
  fileprivate init(_ account: AccountID) {
    switch account {
    case .user(let user): self = .user(user)
    case .group(let group): self = .group(group)
    }
  }
}
