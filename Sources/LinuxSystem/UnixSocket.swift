// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// The process and account at the other end of a local socket, as the kernel recorded them when it connected.
public struct PeerCredentials: Equatable, Sendable {
  public let process: Int32
  public let uid: UInt32
  public let gid: UInt32
  /// Supplementary groups.
  public let groups: [UInt32]

  init(of descriptor: borrowing Descriptor) throws(SystemError) {
    var credentials = clinux_peer()
    // Holds: `credentials` is a local variable.
    try descriptor.call(.peer) { unsafe clinux_peer($0, &credentials) }
    (process, uid, gid) = (credentials.process, credentials.user, credentials.group)
    groups = try Self.groups(of: descriptor.number, countMax: Self.usualCountMax)
  }

  /// The first call has space for this many groups; a second one has space for the most that the kernel allows.
  private static let usualCountMax = 64
  private static let countMax = 65_536

  private static func groups(of number: Int32, countMax most: Int) throws(SystemError) -> [UInt32] {
    var groups = [UInt32](repeating: 0, count: most)
    do throws(SystemError) {
      let count = try retryOnInterrupt(.peer) {
        // Holds: the call fills at most the buffer.
        unsafe groups.withUnsafeMutableBufferPointer {
          unsafe clinux_peer_groups(number, $0.baseAddress, Int32($0.count))
        }
      }
      return Array(groups[..<Int(count)])
    } catch {
      guard error.code == ERANGE, most < countMax else { throw error }
      return try Self.groups(of: number, countMax: countMax)
    }
  }
}

/// The process that connected a local socket.
public enum PeerProcess: ~Copyable {
  /// The descriptor becomes readable when the process ends.
  case running(Descriptor)
  case ended
  /// The kernel does not say.
  case unknown

  public init(of socket: borrowing Descriptor) {
    let number = clinux_peer_process(socket.number)
    self = number >= 0 ? .running(Descriptor(owning: number)) : errno == ESRCH ? .ended : .unknown
  }
}

/// How a local socket carries bytes.
public enum UnixSocketKind: Equatable, Sendable {
  /// As a stream of bytes.
  case stream
  /// Packet by packet (SOCK_SEQPACKET).
  case packets

  fileprivate var type: Int32 { Int32(self == .stream ? SOCK_STREAM.rawValue : SOCK_SEQPACKET.rawValue) }

  func open() throws(SystemError) -> Descriptor {
    Descriptor(owning: try retryOnInterrupt(.socket) { clinux_socket(type) })
  }
}

/// An account that may connect to a socket beside its owner and root. It is an entry in the access list of the socket's
/// file, for which the owner needs no capability.
public enum SocketGrant: Equatable, Sendable {
  case user(UInt32)
  case group(UInt32)

  fileprivate func apply(to path: String) throws(SystemError) {
    // Holds: the call only reads the path.
    _ = try retryOnInterrupt(.accessList) {
      switch self {
      case .user(let user): unsafe clinux_allow(path, 0, user)
      case .group(let group): unsafe clinux_allow(path, 1, group)
      }
    }
  }
}

/// A socket in the file system that accepts connections.
public struct UnixListener: ~Copyable {
  public let descriptor: Descriptor

  /// Binds `path`, which must not exist, with `mode`, and listens.
  public init(path: String, mode: UInt32, kind: UnixSocketKind = .stream) throws(SystemError) {
    descriptor = try Self.open(path: path, mode: mode, kind: kind)
  }

  /// Listens at `path`, replacing a socket of that name. The socket is created as `interim`, in the same folder, and
  /// then renamed: no client finds it with a wrong mode or before it listens. `grant` adds an account to those that the
  /// mode lets in.
  public init(
    replacing path: String, interim: String, mode: UInt32, grant: SocketGrant? = nil,
    kind: UnixSocketKind = .stream
  ) throws(SystemError) {
    // An interrupted start may have left it.
    FileName.remove(interim)
    do throws(SystemError) {
      descriptor = try Self.replace(path, interim, mode, grant, kind)
    } catch {
      FileName.remove(interim)
      throw error
    }
  }

  private static func replace(
    _ path: String, _ interim: String, _ mode: UInt32, _ grant: SocketGrant?, _ kind: UnixSocketKind
  ) throws(SystemError) -> Descriptor {
    let descriptor = try open(path: interim, mode: mode, kind: kind)
    try grant?.apply(to: interim)
    // Holds: the call only reads the paths.
    _ = try retryOnInterrupt(.rename) { unsafe rename(interim, path) }
    return descriptor
  }

  private static func open(path: String, mode: UInt32, kind: UnixSocketKind) throws(SystemError)
    -> Descriptor
  {
    let descriptor = try kind.open()
    // Holds: the calls only read the path.
    try descriptor.call(.bind) { unsafe clinux_bind($0, path) }
    _ = try retryOnInterrupt(.chmod) { unsafe chmod(path, mode) }
    try descriptor.call(.listen) { Glibc.listen($0, 128) }
    return descriptor
  }

  /// The result of accepting.
  public enum Acceptance: ~Copyable {
    case connection(Descriptor, PeerCredentials)
    case noConnection
    /// No descriptor or memory is free; the connection waits in the kernel.
    case exhausted(SystemError)
  }

  /// Accepts the next connection, if one waits.
  public func accept() throws(SystemError) -> Acceptance {
    let number = clinux_accept(descriptor.number)
    guard number < 0 else {
      let connection = Descriptor(owning: number)
      let peer = try PeerCredentials(of: connection)
      return .connection(connection, peer)
    }
    let error = SystemError(.accept)
    switch error.code {
    case EAGAIN, EINTR, ECONNABORTED, EPROTO: return .noConnection
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(error)
    default: throw error
    }
  }
}

/// The client's end of a connection.
public enum UnixConnection {
  /// Connects to a socket; the descriptor is non-blocking.
  public static func open(path: String, kind: UnixSocketKind = .stream) throws(SystemError) -> Descriptor {
    let descriptor = try kind.open()
    // Holds: the call only reads the path.
    try descriptor.call(.connect) { unsafe clinux_connect($0, path) }
    return descriptor
  }

  /// Connects to the first of the sockets that accepts a connection. Throws the error of the last one.
  public static func open(anyOf paths: [String]) throws(SystemError) -> Descriptor {
    var last = SystemError(.connect, code: ENOENT)
    for path in paths {
      do throws(SystemError) { return try open(path: path) } catch { last = error }
    }
    throw last
  }

  /// Creates two sockets that are connected to each other; `other` is the second.
  public static func pair(
    _ other: inout Descriptor?, kind: UnixSocketKind = .packets
  ) throws(SystemError) -> Descriptor {
    var pair: [Int32] = [-1, -1]
    // Holds: the call fills two elements.
    _ = try retryOnInterrupt(.socketPair) { unsafe clinux_pair(kind.type, &pair) }
    other = Descriptor(owning: pair[1])
    return Descriptor(owning: pair[0])
  }
}

/// Notifies the service manager by the protocol of sd_notify(3): lines of `NAME=value` in one datagram to the socket
/// that the environment names.
public struct ServiceNotification: ~Copyable {
  private let descriptor: Descriptor
  private let path: String

  /// nil if no manager listens (`NOTIFY_SOCKET` is not set).
  public init?(environment name: String? = Environment.value(of: "NOTIFY_SOCKET")) throws(SystemError) {
    guard let name, !name.isEmpty else { return nil }
    path = name
    descriptor = Descriptor(
      owning: try retryOnInterrupt(.socket) { clinux_socket(Int32(SOCK_DGRAM.rawValue)) })
  }

  /// Sends lines, without waiting for the manager to read them.
  public func send(_ lines: String) throws(SystemError) {
    let bytes = Array(lines.utf8)
    try descriptor.call(.send) { number in
      // Holds: the call only reads the bytes and the path.
      unsafe bytes.withUnsafeBytes { unsafe clinux_send_to(number, $0.baseAddress, $0.count, path) }
    }
  }
}
