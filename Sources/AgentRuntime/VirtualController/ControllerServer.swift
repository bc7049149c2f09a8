// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import VirtualRadio

/// A virtual controller behind a listening socket.
///
/// One program at a time is connected to it; others are closed at once. While the controller is pulled out there is no
/// socket, and who was connected is cut off.
struct ControllerServer: ~Copyable {
  private enum Watched: Sendable { case signals, alarm, listener, host }

  /// While nobody is connected, what the controller would have said is thrown away this often.
  private static let idleMilliseconds: Int64 = 1000

  private let path: String
  private let kind: LocalSocketKind
  private let origin: Int64
  private let signals: SignalDescriptor
  private var pump: ControllerPump
  private var epoll: Epoll
  private var alarm: Alarm
  private var watches = Watches<Watched>(capacity: 4)
  private var listener: LocalListener?
  private var listenerToken: UInt64?
  private var host: ClientSocket?
  private var now = Instant(microseconds: 0)
  private var hasMore = false

  init(_ controller: consuming Controller, _ path: String, _ kind: LocalSocketKind) throws(SystemError) {
    let signals = try SignalDescriptor()
    let origin = try BootTime.now()
    let epoll = try Epoll()
    let alarm = try Alarm(origin: origin)
    var watches = Watches<Watched>(capacity: 4)
    if let token = watches.insert(.signals) { try epoll.add(signals.descriptor, .readable, token: token) }
    if let token = watches.insert(.alarm) {
      try epoll.add(alarm.descriptor.descriptor, .readable, token: token)
    }
    self.path = path
    self.kind = kind
    self.origin = origin
    self.signals = signals
    self.epoll = epoll
    self.alarm = alarm
    self.watches = watches
    pump = ControllerPump(controller, at: Instant(microseconds: 0))
  }

  /// Serves until a signal ends it.
  mutating func run() throws(SystemError) {
    defer { FileName.remove(path) }
    try follow()
    while true {
      let ready = try epoll.wait(milliseconds: hasMore ? 0 : -1)
      now = Instant(microseconds: try BootTime.now() - origin)
      for event in ready {
        switch watches.owner(of: event.token) {
        case .signals: if try endsNow() { return }
        case .alarm: alarm.rang()
        case .listener: try accept()
        case .host: takeCommands()
        case nil: break
        }
      }
      deliver()
      try follow()
    }
  }

  private func endsNow() throws(SystemError) -> Bool {
    while let signal = try signals.next() {
      if signal != .hangUp { return true }
    }
    return false
  }

  private mutating func accept() throws(SystemError) {
    guard case .connection(let descriptor, _)? = try listener?.accept() else { return }
    guard host == nil, let token = watches.insert(.host) else { return }
    try epoll.add(descriptor, .readable, token: token)
    pump.pass(to: now)
    host = ClientSocket(descriptor, token: token, watchedFor: .readable)
  }

  private mutating func takeCommands() {
    guard let host else { return }
    do throws(ControllerPump.End) { try pump.takeCommands(from: host.descriptor, at: now) } catch { hangUp() }
  }

  private mutating func deliver() {
    guard let host else { return pump.pass(to: now) }
    do throws(ControllerPump.End) {
      let isWhole = try pump.deliver(to: host.descriptor, at: now)
      hasMore = !isWhole && !pump.isHolding
    } catch {
      hangUp()
    }
    if !pump.isPlugged { hangUp() }
  }

  private mutating func hangUp() {
    guard let host = host.take() else { return }
    hasMore = false
    watches.remove(host.token)
  }

  /// Listens while the controller is plugged in, watches what is needed, and sets the alarm.
  private mutating func follow() throws(SystemError) {
    if pump.isPlugged, listenerToken == nil { try listen() }
    if !pump.isPlugged, let token = listenerToken.take() {
      watches.remove(token)
      listener = nil
      FileName.remove(path)
    }
    if let host {
      let wanted: Readiness = pump.isHolding ? [.readable, .writable] : .readable
      if wanted != host.watchedFor { try epoll.change(host.descriptor, wanted, token: host.token) }
      host.watchedFor = wanted
    }
    // What is held waits for the descriptor, not for a time.
    guard !pump.isHolding else { return try alarm.set(nil) }
    try alarm.set(host == nil ? now.advanced(milliseconds: Self.idleMilliseconds) : pump.nextTime)
  }

  private mutating func listen() throws(SystemError) {
    guard let token = watches.insert(.listener) else { return }
    let new = try LocalListener(replacing: path, interim: path + ".new", mode: 0o600, kind: kind)
    try epoll.add(new.descriptor, .readable, token: token)
    listener = consume new
    listenerToken = token
  }
}
