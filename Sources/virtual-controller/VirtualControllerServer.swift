// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import VirtualRadio

/// Serves a simulated controller at a listening socket.
///
/// Capacity: one connection, the host's; further ones are closed at once. While the scene's controller is unplugged,
/// the socket is removed and the host's connection is closed.
struct VirtualControllerServer: ~Copyable {
  private enum EpollOwner: Sendable { case signals, timer, listener, host }

  /// How often packets are discarded while no host is connected.
  private static let idleMilliseconds: Int64 = 1000

  private let path: String
  private let kind: UnixSocketKind
  private let origin: Int64
  private let signals: SignalDescriptor
  private var transport: VirtualControllerTransport
  private var epoll: Epoll
  private var timer: LoopTimer
  private var registry = EpollRegistry<EpollOwner>(capacity: 4)
  private var listener: UnixListener?
  private var listenerToken: UInt64?
  private var host: Host?
  private var now = Instant(microseconds: 0)
  private var hasMorePackets = false

  /// The connected program.
  private final class Host {
    let descriptor: Descriptor
    let token: UInt64
    var watchedFor = Readiness.readable

    init(_ descriptor: consuming Descriptor, token: UInt64) {
      self.descriptor = descriptor
      self.token = token
    }
  }

  init(_ controller: consuming VirtualController, _ path: String, _ kind: UnixSocketKind) throws(SystemError)
  {
    let signals = try SignalDescriptor()
    let origin = try BootTime.now()
    let epoll = try Epoll()
    let timer = try LoopTimer(origin: origin)
    var registry = EpollRegistry<EpollOwner>(capacity: 4)
    if let token = registry.insert(.signals) { try epoll.add(signals.descriptor, .readable, token: token) }
    if let token = registry.insert(.timer) { try timer.watch(in: epoll, token: token) }
    self.path = path
    self.kind = kind
    self.origin = origin
    self.signals = signals
    self.epoll = epoll
    self.timer = timer
    self.registry = registry
    transport = VirtualControllerTransport(controller, at: Instant(microseconds: 0))
  }

  /// Serves until a signal ends the program.
  mutating func run() throws(SystemError) {
    defer { if listenerToken != nil { FileName.remove(path) } }
    try updateListener()
    try updateTimer()
    while true {
      let readyCount = try epoll.wait(milliseconds: hasMorePackets ? 0 : -1)
      now = Instant(microseconds: try BootTime.now() - origin)
      for index in 0..<readyCount {
        switch registry.owner(of: epoll.ready(index).token) {
        case .signals: if try isEndRequested() { return }
        case .timer: timer.noteExpiry()
        case .listener: try acceptHost()
        case .host: receiveCommands()
        case nil: break
        }
      }
      sendPackets()
      try updateListener()
      try updateHostReadiness()
      try updateTimer()
    }
  }

  private func isEndRequested() throws(SystemError) -> Bool {
    while let signal = try signals.next() {
      if signal != .hangUp { return true }
    }
    return false
  }

  // MARK: - The host

  private mutating func acceptHost() throws(SystemError) {
    guard case .connection(let descriptor, _)? = try listener?.accept() else { return }
    guard host == nil, let token = registry.insert(.host) else { return }
    try epoll.add(descriptor, .readable, token: token)
    transport.discardPackets(until: now)
    host = Host(descriptor, token: token)
  }

  private mutating func receiveCommands() {
    guard let host else { return }
    do throws(VirtualControllerTransport.HostError) {
      try transport.receiveCommands(from: host.descriptor, at: now)
    } catch {
      closeHost()
    }
  }

  private mutating func sendPackets() {
    guard let host else { return transport.discardPackets(until: now) }
    do throws(VirtualControllerTransport.HostError) {
      let isEverythingSent = try transport.sendPackets(to: host.descriptor, at: now)
      hasMorePackets = !isEverythingSent && !transport.hasUnsentBytes
    } catch {
      closeHost()
    }
    if !transport.isPlugged { closeHost() }
  }

  /// Closing the descriptor removes it from the epoll set.
  private mutating func closeHost() {
    guard let host = host.take() else { return }
    hasMorePackets = false
    registry.remove(host.token)
  }

  // MARK: - After each turn

  private mutating func updateListener() throws(SystemError) {
    if transport.isPlugged, listenerToken == nil { try listen() }
    guard !transport.isPlugged, let token = listenerToken.take() else { return }
    registry.remove(token)
    listener = nil
    FileName.remove(path)
  }

  /// Any account may connect: what is simulated is no secret, and an agent runs under an account of its own. The folder
  /// may keep accounts out.
  private mutating func listen() throws(SystemError) {
    guard let token = registry.insert(.listener) else { return }
    let new = try UnixListener(replacing: path, interim: path + ".new", mode: 0o666, kind: kind)
    try epoll.add(new.descriptor, .readable, token: token)
    listener = consume new
    listenerToken = token
  }

  private func updateHostReadiness() throws(SystemError) {
    guard let host else { return }
    let wanted: Readiness = transport.hasUnsentBytes ? [.readable, .writable] : .readable
    if wanted != host.watchedFor { try epoll.change(host.descriptor, wanted, token: host.token) }
    host.watchedFor = wanted
  }

  private mutating func updateTimer() throws(SystemError) {
    // Unsent bytes wait for the descriptor, not for a time.
    guard !transport.hasUnsentBytes else {
      try timer.arm(nil)
      return
    }
    let isIdle = host == nil && transport.isPlugged
    let time = isIdle ? now.advanced(milliseconds: Self.idleMilliseconds) : transport.nextTime
    try timer.arm(time?.microseconds)
  }
}
