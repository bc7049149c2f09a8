// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem

/// The agent's listening socket, and the lock that keeps a second agent from it.
///
/// The lock is on a file beside the socket (`….lock`), which stays. The socket is created under an interim name and
/// then renamed, so that it replaces the socket of a killed agent without a gap.
struct ServiceSocket: ~Copyable {
  /// `sockaddr_un` holds 108 bytes, the last a zero; the interim name is four bytes longer.
  private static let pathBytesMax = 103
  /// Any account may connect; the agent decides by account what a client may do.
  private static let mode: UInt32 = 0o666

  let path: String
  let listener: UnixListener
  private let lock: LockFile

  init(_ path: String) throws(StartError) {
    guard path.utf8.count <= Self.pathBytesMax else {
      throw .socketTooLong(path, byteCountMax: Self.pathBytesMax)
    }
    let lock = try Self.lock(path)
    let listener = try Self.listen(path)
    self.path = path
    self.lock = lock
    self.listener = listener
  }

  private static func lock(_ path: String) throws(StartError) -> LockFile {
    do throws(SystemError) { return try LockFile(path: path + ".lock") } catch {
      throw error.isLocked ? .anotherAgent(socket: path) : .socket(path, error)
    }
  }

  private static func listen(_ path: String) throws(StartError) -> UnixListener {
    switch FileName.content(of: path) {
    case .nothing: break
    case .other: throw .notASocket(path)
    case .socket: if isServed(path) { throw .socketInUse(socket: path) }
    }
    do throws(SystemError) {
      return try UnixListener(replacing: path, interim: path + ".new", mode: mode)
    } catch {
      throw .socket(path, error)
    }
  }

  /// Whether a program that is not an agent, and so has no lock, listens at the path.
  private static func isServed(_ path: String) -> Bool {
    do throws(SystemError) {
      _ = try UnixConnection.open(path: path)
      return true
    } catch {
      return !error.isRefused
    }
  }

  /// The socket's folder, which lives as long as the system runs.
  var folder: String { DurableFile.folder(of: path) }

  /// Removes the socket's name, so that no client finds the agent any more.
  func withdraw() { FileName.remove(path) }
}

/// The limit of open descriptors.
enum DescriptorLimit {
  /// The agent's own descriptors: standard streams, epoll, timer, signals, wakers, listener, lock, service manager,
  /// radio, the registry's files, a touch's program, and some to spare.
  private static let ownCount = 32
  /// Those that it has open all the time, and one for a client.
  static let countMin = 20

  /// Raises the limit to what this many connections need. Returns a warning when it stays too low: further clients then
  /// wait until one leaves. Throws when there is none left for any client.
  static func raise(connections: Int) throws(StartError) -> String? {
    let wanted = connections + AgentCore.extraConnectionsMax + AgentCore.linksMax + ownCount
    let limit: Int
    do throws(SystemError) { limit = try ThisProcess.raiseDescriptorLimit(to: wanted) } catch {
      return "the limit of open descriptors could not be raised: \(error.sentence)"
    }
    guard limit >= countMin else { throw .tooFewDescriptors(limit: limit, needed: wanted) }
    guard limit < wanted else { return nil }
    return
      "the process may open only \(limit) descriptors, too few for \(connections) connections; raise LimitNOFILE"
  }
}
