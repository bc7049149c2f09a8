// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BridgeRuntime
import DBus
import ESPHome
import Interfaces
import LinuxSystem

/// The loop of `accessory-esphome`: one thread and one epoll carry bytes between the network, the agent and the bridge, which
/// decides everything.
final class Server {
  private enum Owner: Sendable {
    case timer, signals, listener, control, bus, reports
    case client(ESPHomeClientID)
    case agent(BridgeCallID)
    case command(UInt64)
  }

  private final class Connection {
    let socket: SharedDescriptor
    let token: UInt64
    /// Whether the socket is watched for space.
    var isFull = false

    init(_ socket: SharedDescriptor, token: UInt64) { (self.socket, self.token) = (socket, token) }
  }

  private static let systemBus = ["/run/dbus/system_bus_socket"]
  private static let chunkByteCount = 1 << 12
  /// Messages of reports that are read before others get a turn.
  private static let messagesMax = 64
  /// Commands of operators at one time.
  private static let commandsMax = 4

  private let options: Options
  private let log = BridgeLog()
  private var bridge: ESPHomeBridge
  private let identity: GatewayIdentity
  private var epoll: Epoll
  private var registry = EpollRegistry<Owner>(capacity: 128)
  private let timer: TimerDescriptor
  private var armed: Int64?
  private let signals: SignalDescriptor
  private let listener: TCPListener
  private let control: UnixListener
  private let start: Int64
  private var clients: [ESPHomeClientID: Connection] = [:]
  private var clientCount: UInt64 = 0
  private var links: AgentLinks
  private var linkConnections: [BridgeCallID: Connection] = [:]
  private var reports: Connection?
  private var announcement: ServiceAnnouncement
  private var bus: Connection?
  private var commands: [UInt64: Connection] = [:]

  init(_ options: Options, key: GatewayKey?) throws(ProgramError) {
    self.options = options
    let host = (Host.name ?? "gateway").lowercased()
    identity = GatewayIdentity(
      name: host, friendlyName: options.name ?? "Gateway \(host)", address: MachineAddress.bits,
      version: ProjectVersion.text)
    bridge = ESPHomeBridge(identity, key: key?.bytes)
    announcement = ServiceAnnouncement(
      port: options.port, records: ServiceAnnouncement.records(identity, isEncrypted: key != nil))
    links = AgentLinks(path: options.socket)
    do throws(SystemError) {
      signals = try SignalDescriptor()
      epoll = try Epoll()
      timer = try TimerDescriptor()
      start = try BootTime.now()
    } catch { throw .refused(error) }
    do throws(SystemError) { listener = try TCPListener(port: options.port) } catch {
      throw .failure(
        .cannotCreate,
        "port \(options.port) cannot be opened: \(error.reason); stop the program that has it, or give another: --port N"
      )
    }
    do throws(SystemError) {
      control = try UnixListener(
        replacing: options.controlPath, interim: "\(options.controlPath).new", mode: Control.mode)
    } catch {
      throw .failure(
        .cannotCreate,
        "\(options.controlPath) cannot be made: \(error.reason); make its folder, or give another: --runtime FOLDER"
      )
    }
  }

  func run() throws(ProgramError) {
    do throws(SystemError) { try serve() } catch { throw .refused(error) }
  }

  private func serve() throws(SystemError) {
    try epoll.add(signals.descriptor, .readable, token: token(of: .signals))
    try epoll.add(timer.descriptor, .readable, token: token(of: .timer))
    try epoll.add(listener.descriptor, .readable, token: token(of: .listener))
    try epoll.add(control.descriptor, .readable, token: token(of: .control))
    log.say(
      .info,
      "serving Home Assistant at port \(options.port)"
        + (bridge.isEncrypted ? "" : ", in plaintext and without a key"))
    if Clock.seconds == nil {
      log.say(
        .warning,
        "the clock is not set, so that Home Assistant gets no time from here; see timedatectl status")
    }
    openBus()
    handleInput(.start)
    let notification = try ServiceNotification()
    try notification?.send("READY=1")
    while true {
      flushClients()
      try armTimer()
      for ready in try epoll.wait() {
        guard let owner = registry.owner(of: ready.token) else { continue }
        guard case .signals = owner else {
          handle(owner)
          continue
        }
        if let signal = try signals.next(), signal != .hangUp { return log.say(.info, "ended by a signal") }
      }
    }
  }

  private func token(of owner: Owner) -> UInt64 {
    if registry.count > 100 { registry.grow(to: 256) }
    guard let token = registry.insert(owner) else { preconditionFailure("connections are bounded") }
    return token
  }

  /// Watches a socket; nil when the kernel cannot.
  private func watch(_ socket: SharedDescriptor, _ owner: Owner) -> Connection? {
    let token = token(of: owner)
    guard (try? epoll.add(socket.descriptor, .readable, token: token)) != nil else {
      registry.remove(token)
      return nil
    }
    return Connection(socket, token: token)
  }

  private func watchForSpace(_ connection: Connection?, _ isFull: Bool) {
    guard let connection, isFull != connection.isFull else { return }
    connection.isFull = isFull
    let readiness: Readiness = isFull ? [.readable, .writable] : .readable
    try? epoll.change(connection.socket.descriptor, readiness, token: connection.token)
  }

  private func forget(_ connection: Connection?) { if let connection { registry.remove(connection.token) } }

  // MARK: - Time

  private var now: Duration { .microseconds(((try? BootTime.now()) ?? start) - start) }

  private func armTimer() throws(SystemError) {
    let wanted = [bridge.nextDeadline.map(\.wholeMicroseconds), announcement.deadline].compactMap { $0 }.min()
    guard wanted != armed else { return }
    armed = wanted
    try timer.set(wanted.map { start + $0 })
  }

  // MARK: - What is ready

  private func handle(_ owner: Owner) {
    switch owner {
    case .signals: break
    case .timer:
      try? timer.acknowledge()
      armed = nil
      handleInput(.timePassed)
      report(announcement.advance(to: now.wholeMicroseconds))
      flushBus()
    case .listener: acceptClients()
    case .control: acceptCommands()
    case .command(let number): receiveCommand(number)
    case .client(let id): receive(from: id)
    case .agent(let id): receive(from: id)
    case .reports: receiveReports()
    case .bus: receiveFromBus()
    }
  }

  private func handleInput(_ input: ESPHomeBridge.Input) {
    bridge.wallSeconds = Clock.seconds
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in bridge.step(inputs.removeFirst(), at: now) { inputs += performEffect(effect) }
    }
  }

  /// Returns the inputs that result from it at once.
  private func performEffect(_ effect: ESPHomeBridge.Effect) -> [ESPHomeBridge.Input] {
    switch effect {
    case .close(let id): forget(clients.removeValue(forKey: id))
    case .openAgent(let id):
      switch links.open(id) {
      case .success(let socket):
        guard let connection = watch(socket, .agent(id)) else {
          links.close(id)
          return [.agentEnded(id, "the system has no room for a connection")]
        }
        linkConnections[id] = connection
        return [.agentOpened(id)]
      case .failure(let error): return [.agentEnded(id, error.sentence)]
      }
    case .sendAgent(let id, let bytes):
      let isKept = links.send(bytes, on: id)
      watchForSpace(linkConnections[id], isKept)
    case .closeAgent(let id): closeLink(id)
    case .store(let key): store(key)
    case .announce:
      announcement.change(
        records: ServiceAnnouncement.records(identity, isEncrypted: bridge.isEncrypted),
        at: now.wholeMicroseconds)
      flushBus()
    case .log(let notice): log.say(notice.level, notice.sentence)
    }
    return []
  }

  private func store(_ bytes: [UInt8]) {
    guard let key = GatewayKey(bytes: bytes) else { return }
    do throws(ProgramError) { try KeyFile(path: options.keyPath).write(key) } catch {
      log.say(.error, error.sentence)
    }
  }

  // MARK: - Clients

  private func acceptClients() {
    while let (socket, address) = listener.accept() {
      clientCount += 1
      let id = ESPHomeClientID(clientCount)
      guard let connection = watch(socket, .client(id)) else { return }
      clients[id] = connection
      handleInput(.accepted(id, address: address, secret: GatewayKey.random().bytes))
    }
  }

  private func receive(from id: ESPHomeClientID) {
    guard let client = clients[id] else { return }
    var buffer = [UInt8](repeating: 0, count: Self.chunkByteCount)
    do throws(SystemError) {
      guard let count = try client.socket.descriptor.read(into: &buffer) else { return }
      if count > 0 { return handleInput(.received(id, Array(buffer[..<count]))) }
    } catch {}
    endClient(id)
  }

  private func endClient(_ id: ESPHomeClientID) {
    forget(clients.removeValue(forKey: id))
    handleInput(.ended(id))
  }

  /// Sends what the bridge has for its clients.
  private func flushClients() {
    for id in clients.keys {
      while let client = clients[id], case let bytes = bridge.unsent(of: id), !bytes.isEmpty {
        do throws(SystemError) {
          guard let count = try client.socket.descriptor.send(bytes.span), count > 0 else { break }
          handleInput(.sent(id, count))
        } catch {
          endClient(id)
        }
      }
      watchForSpace(clients[id], !bridge.unsent(of: id).isEmpty)
    }
  }

  // MARK: - The agent

  private func receive(from id: BridgeCallID) {
    if let connection = linkConnections[id], connection.isFull { watchForSpace(connection, links.flush(id)) }
    var passed: SharedDescriptor?
    let arrival = links.receive(id, passed: &passed)
    if let passed, id == ESPHomeBridge.reportsCall {
      forget(reports)
      reports = watch(passed, .reports)
    }
    switch arrival {
    case .nothing: break
    case .bytes(let bytes): handleInput(.agentReceived(id, bytes))
    case .end(let reason):
      closeLink(id)
      handleInput(.agentEnded(id, reason))
    }
  }

  private func closeLink(_ id: BridgeCallID) {
    links.close(id)
    forget(linkConnections.removeValue(forKey: id))
    guard id == ESPHomeBridge.reportsCall else { return }
    forget(reports)
    reports = nil
  }

  private func receiveReports() {
    var buffer = [UInt8](repeating: 0, count: ESPHomeBridge.messageBytesMax)
    for _ in 0..<Self.messagesMax {
      guard let reports else { return }
      do throws(SystemError) {
        guard let count = try reports.socket.descriptor.read(into: &buffer) else { return }
        if count > 0 {
          handleInput(.reports(Array(buffer[..<count])))
          continue
        }
      } catch {}
      forget(reports)
      self.reports = nil
      return handleInput(.reportsEnded)
    }
  }

  // MARK: - The system bus

  private func openBus() {
    guard let socket = try? UnixConnection.open(anyOf: Self.systemBus) else {
      return report([.notAnnounced("there is no system bus")])
    }
    bus = watch(SharedDescriptor(socket), .bus)
    flushBus()
  }

  private func receiveFromBus() {
    guard let bus else { return }
    var buffer = [UInt8](repeating: 0, count: Self.chunkByteCount)
    do throws(SystemError) {
      guard let count = try bus.socket.descriptor.read(into: &buffer) else { return flushBus() }
      if count > 0 {
        report(announcement.receive(buffer[..<count], at: now.wholeMicroseconds))
        return flushBus()
      }
    } catch {}
    forget(bus)
    self.bus = nil
    report([.notAnnounced("the system bus has closed the connection")])
  }

  private func flushBus() {
    while let bus, case let bytes = announcement.unsent, !bytes.isEmpty {
      guard let count = try? bus.socket.descriptor.write(bytes[...]), count > 0 else { break }
      announcement.wasSent(count)
    }
    watchForSpace(bus, !announcement.unsent.isEmpty)
  }

  private func report(_ events: [ServiceAnnouncement.Event]) {
    for event in events {
      switch event {
      case .announced(let host):
        log.say(.info, "announced on the network as \(host)")
        handleInput(.named(host))
      case .notAnnounced(let reason):
        log.say(
          .warning,
          "not announced on the network: \(reason); install avahi-daemon, or add the gateway in Home Assistant as an "
            + "ESPHome device, by its address")
      }
    }
  }

  // MARK: - Commands

  private func acceptCommands() {
    while case .connection(let socket, _)? = try? control.accept() {
      guard commands.count < Self.commandsMax else { continue }
      clientCount += 1
      if let connection = watch(SharedDescriptor(socket), .command(clientCount)) {
        commands[clientCount] = connection
      }
    }
  }

  private func receiveCommand(_ number: UInt64) {
    guard let command = commands.removeValue(forKey: number) else { return }
    forget(command)
    var buffer = [UInt8](repeating: 0, count: 64)
    guard let count = try? command.socket.descriptor.read(into: &buffer),
      Control.isEnrolment(buffer[..<count])
    else { return }
    handleInput(.enrol)
    _ = try? command.socket.descriptor.write(Array(Control.reply.utf8)[...])
  }
}

/// The time of day.
enum Clock {
  /// A machine without a battery begins in 1970 or with its image.
  private static let firstTrusted: Int64 = 1_700_000_000

  /// Seconds since 1970; nil while the clock is not set.
  static var seconds: UInt32? {
    guard let seconds = (try? WallTime.now())?.wholeSeconds, seconds >= firstTrusted else { return nil }
    return UInt32(truncatingIfNeeded: seconds)
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
