// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem

/// The loop of a bridge: one thread and one epoll, a timer and signals. What else it waits for has owners, by which the
/// bridge knows them.
public final class BridgeLoop<Owner: Sendable> {
  /// A reason to wake up.
  public enum Event {
    case timePassed
    /// SIGHUP.
    case reload
    case ready(Owner)
  }

  /// A socket that the loop watches until it is forgotten.
  public final class Connection {
    public let socket: SharedDescriptor
    fileprivate let token: UInt64
    fileprivate var isFull = false
    fileprivate var isHeld = false

    fileprivate init(_ socket: SharedDescriptor, token: UInt64) {
      (self.socket, self.token) = (socket, token)
    }

    /// Whether it is watched for space.
    public var isWatchedForSpace: Bool { isFull }

    fileprivate var readiness: Readiness {
      var readiness: Readiness = []
      if !isHeld { readiness.insert(.readable) }
      if isFull { readiness.insert(.writable) }
      return readiness
    }
  }

  private enum Slot: Sendable {
    case timer, signals
    case owner(Owner)
  }

  private var epoll: Epoll
  private var registry = EpollRegistry<Slot>(capacity: 128)
  private let timer: TimerDescriptor
  private var armed: Int64?
  private let signals: SignalDescriptor
  private let start: Int64
  /// When the memory is given back that only what was done until now needed.
  private var releaseDue: Duration?

  public init() throws(SystemError) {
    signals = try SignalDescriptor()
    epoll = try Epoll()
    timer = try TimerDescriptor()
    start = try BootTime.now()
    try epoll.add(signals.descriptor, .readable, token: token(of: .signals))
    try epoll.add(timer.descriptor, .readable, token: token(of: .timer))
    releaseMemorySoon()
  }

  /// The time since the loop began.
  public var now: Duration { .microseconds(((try? BootTime.now()) ?? start) - start) }

  private func token(of slot: Slot) -> UInt64 {
    if registry.count > 100 { registry.grow(to: 256) }
    guard let token = registry.insert(slot) else { preconditionFailure("connections are bounded") }
    return token
  }

  /// Gives back, ten seconds from now, the memory that what is done now needs and waiting does not. The start and each
  /// new connection do so by themselves.
  public func releaseMemorySoon() { releaseDue = releaseDue ?? now + .seconds(10) }

  private func releaseMemory() {
    guard let due = releaseDue, due <= now else { return }
    releaseDue = nil
    ResidentMemory.releaseIdlePages()
  }

  /// Waits for what is ready, until `deadline` at most, and hands it to `handle`. Returns false when a signal ends the
  /// program.
  public func turn(until deadline: Duration?, _ handle: (Event) -> Void) throws(SystemError) -> Bool {
    try arm([deadline, releaseDue].compactMap(\.self).min())
    for index in 0..<(try epoll.wait()) {
      let ready = epoll.ready(index)
      switch registry.owner(of: ready.token) {
      case .owner(let owner): handle(.ready(owner))
      case .timer:
        try? timer.acknowledge()
        armed = nil
        releaseMemory()
        handle(.timePassed)
      case .signals:
        guard let signal = try signals.next() else { break }
        guard signal == .hangUp else { return false }
        handle(.reload)
      case nil: break
      }
    }
    return true
  }

  private func arm(_ deadline: Duration?) throws(SystemError) {
    let wanted = deadline?.wholeMicroseconds
    guard wanted != armed else { return }
    armed = wanted
    try timer.set(wanted.map { start + $0 })
  }

  // MARK: - What is watched

  /// Watches a descriptor for as long as the loop lasts.
  public func watch(_ descriptor: borrowing Descriptor, _ owner: Owner) throws(SystemError) {
    try epoll.add(descriptor, .readable, token: token(of: .owner(owner)))
  }

  /// Watches a socket; nil when the kernel cannot.
  public func watch(_ socket: SharedDescriptor, _ owner: Owner) -> Connection? {
    let token = token(of: .owner(owner))
    guard (try? epoll.add(socket.descriptor, .readable, token: token)) != nil else {
      registry.remove(token)
      return nil
    }
    releaseMemorySoon()
    return Connection(socket, token: token)
  }

  /// Whether the loop also waits for the socket to take bytes.
  public func watchForSpace(_ connection: Connection?, _ isFull: Bool) {
    guard let connection, isFull != connection.isFull else { return }
    connection.isFull = isFull
    apply(connection)
  }

  /// Whether bytes that arrive are left in the socket.
  public func hold(_ connection: Connection?, _ isHeld: Bool) {
    guard let connection, isHeld != connection.isHeld else { return }
    connection.isHeld = isHeld
    apply(connection)
  }

  private func apply(_ connection: Connection) {
    try? epoll.change(connection.socket.descriptor, connection.readiness, token: connection.token)
  }

  public func forget(_ connection: Connection?) { if let connection { registry.remove(connection.token) } }
}

extension Duration {
  public var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
