// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// The place where programs find the agent: a listening socket, and the lock that keeps a second agent away.
///
/// The lock is on a file beside the socket (`….lock`), which stays. The socket is made under another name and put in
/// its place whole, so that one that a killed agent left behind is replaced, never removed first.
struct ServiceSocket: ~Copyable {
  /// `sockaddr_un` has room for 108 bytes, the last a zero; the interim name is longer by four.
  private static let pathBytesMax = 103
  /// Everybody may connect; who may do what is decided by who they are.
  private static let mode: UInt32 = 0o666

  let path: String
  let listener: UnixListener
  private let lock: LockFile

  init(_ path: String) throws(StartFailure) {
    guard path.utf8.count <= Self.pathBytesMax else {
      throw .socketTooLong(path, byteCountMax: Self.pathBytesMax)
    }
    let lock = try Self.lock(path)
    let listener = try Self.listen(path)
    self.path = path
    self.lock = lock
    self.listener = listener
  }

  private static func lock(_ path: String) throws(StartFailure) -> LockFile {
    do throws(SystemError) { return try LockFile(path: path + ".lock") } catch {
      throw error.isLocked ? .anotherAgent(socket: path) : .socket(path, error)
    }
  }

  private static func listen(_ path: String) throws(StartFailure) -> UnixListener {
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

  /// Whether somebody listens there who has no lock: a program that is no agent.
  private static func isServed(_ path: String) -> Bool {
    do throws(SystemError) {
      _ = try UnixConnection.open(path: path)
      return true
    } catch {
      return !error.isRefused
    }
  }

  /// Where it is, and what lives as long as the system runs.
  var folder: String { Path.folder(of: path) }

  /// Nobody finds the agent any more.
  func withdraw() { FileName.remove(path) }
}

/// How many descriptors the agent may have open.
enum DescriptorLimit {
  /// Our own: standard streams, epoll, alarm, signals, wakers, listener, lock, manager, radio, files.
  private static let ownCount = 32

  /// Raises the limit to what so many connections need. Answers what there is to say when it stays too low: who
  /// connects then waits until somebody leaves.
  static func raise(connections: Int) -> String? {
    let wanted = connections + ownCount
    do throws(SystemError) {
      let limit = try ThisProcess.raiseDescriptorLimit(to: wanted)
      guard limit < wanted else { return nil }
      return
        "only \(limit) descriptors may be open, too few for \(connections) connections; raise LimitNOFILE"
    } catch {
      return "the limit of open descriptors is unknown: \(error.sentence)"
    }
  }
}
