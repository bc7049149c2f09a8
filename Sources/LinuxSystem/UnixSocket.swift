// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// Who is at the other end of a local socket, by the kernel's word at the time of connecting.
public struct PeerCredentials: Equatable, Sendable {
  public let process: Int32
  public let user: UInt32
  public let group: UInt32
  /// Supplementary groups.
  public let groups: [UInt32]

  public init(process: Int32, user: UInt32, group: UInt32, groups: [UInt32]) {
    self.process = process
    self.user = user
    self.group = group
    self.groups = groups
  }

  init(of descriptor: borrowing Descriptor) throws(SystemError) {
    let number = descriptor.number
    var peer = clinux_peer()
    // Holds: `peer` is a local variable.
    _ = try retryOnInterrupt(.peer) { unsafe clinux_peer(number, &peer) }
    let groups = try Self.groups(of: number, countMax: Self.usualCountMax)
    self.init(process: peer.process, user: peer.user, group: peer.group, groups: groups)
  }

  /// Accounts with more groups than this are asked about again; the kernel allows none more than the larger number.
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

/// How a local socket carries bytes.
public enum UnixSocketKind: Equatable, Sendable {
  /// Without borders.
  case stream
  /// Packet by packet (SOCK_SEQPACKET).
  case packets

  func open() throws(SystemError) -> Descriptor {
    let kind = self
    let number = try retryOnInterrupt(.socket) {
      kind == .stream ? clinux_stream_socket() : clinux_packet_socket()
    }
    return Descriptor(owning: number)
  }
}

/// A socket in the file system that accepts connections.
public struct UnixListener: ~Copyable {
  public let descriptor: Descriptor

  /// Binds `path`, which must not exist, with `mode`, and listens.
  public init(path: String, mode: UInt32, kind: UnixSocketKind = .stream) throws(SystemError) {
    descriptor = try Self.open(path: path, mode: mode, kind: kind)
  }

  /// Listens at `path` in place of whatever socket was there. It is made as `interim`, in the same folder, and appears
  /// at its place whole: nobody finds it with a wrong mode or before it listens.
  public init(
    replacing path: String, interim: String, mode: UInt32, kind: UnixSocketKind = .stream
  ) throws(SystemError) {
    // Left by a start that was cut off; if it was not there, so much the better.
    FileName.remove(interim)
    descriptor = try Self.replace(path, interim, mode, kind)
  }

  private static func replace(
    _ path: String, _ interim: String, _ mode: UInt32, _ kind: UnixSocketKind
  ) throws(SystemError) -> Descriptor {
    let descriptor = try open(path: interim, mode: mode, kind: kind)
    do throws(SystemError) {
      // Holds: the call only reads the paths.
      _ = try retryOnInterrupt(.rename) { unsafe rename(interim, path) }
    } catch {
      FileName.remove(interim)
      throw error
    }
    return descriptor
  }

  private static func open(path: String, mode: UInt32, kind: UnixSocketKind) throws(SystemError)
    -> Descriptor
  {
    let descriptor = try kind.open()
    let number = descriptor.number
    // Holds: the calls only read the path.
    _ = try retryOnInterrupt(.bind) { unsafe clinux_bind(number, path) }
    _ = try retryOnInterrupt(.chmod) { unsafe chmod(path, mode) }
    _ = try retryOnInterrupt(.listen) { Glibc.listen(number, 128) }
    return descriptor
  }

  /// What came of accepting.
  public enum Acceptance: ~Copyable {
    case connection(Descriptor, PeerCredentials)
    case nobody
    /// No descriptor or memory is free; the connection waits in the kernel.
    case exhausted(SystemError)
  }

  /// The next connection that waits.
  public func accept() throws(SystemError) -> Acceptance {
    let number = clinux_accept(descriptor.number)
    guard number < 0 else {
      let connection = Descriptor(owning: number)
      let peer = try PeerCredentials(of: connection)
      return .connection(connection, peer)
    }
    let error = SystemError(.accept)
    switch error.code {
    case EAGAIN, EINTR, ECONNABORTED, EPROTO: return .nobody
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(error)
    default: throw error
    }
  }
}

/// The client's side.
public enum UnixConnection {
  /// Connects to a socket; the descriptor is non-blocking.
  public static func open(path: String, kind: UnixSocketKind = .stream) throws(SystemError) -> Descriptor {
    let descriptor = try kind.open()
    let number = descriptor.number
    // Holds: the call only reads the path.
    _ = try retryOnInterrupt(.connect) { unsafe clinux_connect(number, path) }
    return descriptor
  }

  /// Makes two packet sockets that are connected to each other; `other` is the second.
  public static func pair(_ other: inout Descriptor?) throws(SystemError) -> Descriptor {
    var pair: [Int32] = [-1, -1]
    // Holds: the call fills two places.
    _ = try retryOnInterrupt(.socketPair) { unsafe clinux_packet_pair(&pair) }
    other = Descriptor(owning: pair[1])
    return Descriptor(owning: pair[0])
  }
}
