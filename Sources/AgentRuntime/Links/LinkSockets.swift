// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

/// The sockets to accessories that are being connected, or wait for the reply that takes them to their app.
///
/// Capacity: ``AgentCore/linksMax``, which the agent keeps. No socket stays here once an app has it: the agent learns
/// from the kernel when the link ends, and the kernel ends it when the app closes the socket.
struct LinkSockets {
  typealias Open = (LinkRequest) throws(SystemError) -> LinkSocket

  private struct Entry {
    let socket: LinkSocket
    let security: LinkSecurity
    /// nil once the socket is connected.
    var token: UInt64?
  }

  private let open: Open
  private var entries: [LinkID: Entry] = [:]

  init(_ open: @escaping Open) { self.open = open }

  /// Begins to connect a socket.
  mutating func connect(_ request: LinkRequest, _ loop: inout LoopContext) {
    do throws(SystemError) {
      let socket = try open(request)
      let token = try loop.watch(socket.descriptor, for: .writable, as: .link(request.id))
      entries[request.id] = Entry(socket: socket, security: request.target.security, token: token)
    } catch {
      loop.agent.linkFailed(request.id, LinkError(error), at: loop.now)
    }
  }

  /// The kernel has connected a socket, or could not.
  mutating func receiveReadiness(of id: LinkID, _ loop: inout LoopContext) {
    guard let entry = entries[id] else { return }
    unwatch(id, &loop)
    do throws(LinkError) {
      try entry.socket.check(entry.security)
      loop.agent.linkOpened(id, at: loop.now)
    } catch {
      entries[id] = nil
      loop.agent.linkFailed(id, error, at: loop.now)
    }
  }

  /// The socket that goes to an app.
  func socket(of id: LinkID) -> LinkSocket? { entries[id]?.socket }

  /// Closes the agent's copy of a socket, if it has one.
  mutating func close(_ id: LinkID, _ loop: inout LoopContext) {
    unwatch(id, &loop)
    entries[id] = nil
  }

  /// The epoll set would keep a socket of which an app has a copy.
  private mutating func unwatch(_ id: LinkID, _ loop: inout LoopContext) {
    guard let entry = entries[id], let token = entry.token else { return }
    loop.counters.watchCalls &+= 1
    try? loop.epoll.remove(entry.socket.descriptor)
    loop.registry.remove(token)
    entries[id]?.token = nil
  }
}

extension LinkSocket {
  convenience init(_ request: LinkRequest) throws(SystemError) {
    let target = request.target
    try self.init(
      connectingTo: target.address.bits, isRandom: target.address.type == .random,
      from: target.adapterAddress, level: target.security.level.rawValue)
  }

  /// Checks that the socket is connected, and that the link is as safe as it has to be.
  fileprivate func check(_ security: LinkSecurity) throws(LinkError) {
    do throws(SystemError) { try checkConnection() } catch {
      throw security.isEncrypted && error.isKeyRefusal ? .bondRefused : LinkError(error)
    }
    guard security.isEncrypted else { return }
    let (level, keyByteCount): (UInt8, UInt8)
    do throws(SystemError) { (level, keyByteCount) = try self.security() } catch { throw LinkError(error) }
    switch security.judge(level: level, keyByteCount: keyByteCount) {
    case .isSafe: return
    case .isUnsafe: throw .isUnsafe
    case .hasEnded: throw .broken
    }
  }
}

extension LinkError {
  fileprivate init(_ error: SystemError) {
    // The link has a channel of the Attribute Protocol already.
    if error.isBusy {
      self = .busy
    } else if error.isExhausted {
      self = .exhausted
    } else if error.isLinkEnd {
      self = .broken
    } else {
      self = .refused(error.reason)
    }
  }
}
