// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BridgeRuntime
import DBus
import ESPHome
import Interfaces
import LinuxSystem
import ToolSystem

/// The loop of `accessory-esphome`: one thread and one epoll carry bytes between the network, the agent and the bridge, which
/// decides everything.
final class Server {
  private enum Owner: Sendable {
    case listener, control, bus, reports
    case client(ESPHomeClientID)
    case agent(BridgeCallID)
    case device(BridgeCallID)
    case command(UInt64)
  }

  private typealias Connection = BridgeLoop<Owner>.Connection

  private static let systemBus = ["/run/dbus/system_bus_socket"]
  private static let chunkByteCount = 1 << 12
  /// Messages of reports that are read before others get a turn.
  private static let messagesMax = 64
  /// The kernel's limit for a packet of the Attribute Protocol is 672.
  private static let packetBytesMax = 1_024
  /// Commands of operators at one time.
  private static let commandsMax = 4

  private let options: Options
  private let log = BridgeLog()
  private var bridge: ESPHomeBridge
  private let identity: GatewayIdentity
  private let loop: BridgeLoop<Owner>
  private let listener: TCPListener
  private let control: UnixListener
  private var clients: [ESPHomeClientID: Connection] = [:]
  private var clientCount: UInt64 = 0
  private let agent: AgentPort<Owner>
  private var reports: Connection?
  private var devices: [BridgeCallID: Connection] = [:]
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
    do throws(SystemError) { loop = try BridgeLoop() } catch { throw .refused(error) }
    agent = AgentPort(path: options.socket, in: loop) { .agent($0) }
    do throws(SystemError) { listener = try TCPListener(port: options.port) } catch {
      throw .failure(
        .cannotCreate,
        "port \(options.port) cannot be opened: \(error.reason); \(Self.portCure(error))"
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

  /// The service's unit allows one port.
  private static func portCure(_ error: SystemError) -> String {
    let cure =
      Environment.value(of: "INVOCATION_ID") == nil
      ? "give another: --port N"
      : "give another in a drop-in of the unit, with --port and SocketBindAllow=; see \(guide), Another port"
    return error.isPermission ? cure : "stop the program that has it, or \(cure)"
  }

  private static let guide = "/usr/share/doc/accessory-gateway-esphome/homeassistant.md"

  func run() throws(ProgramError) {
    do throws(SystemError) { try serve() } catch { throw .refused(error) }
  }

  private func serve() throws(SystemError) {
    try loop.watch(listener.descriptor, .listener)
    try loop.watch(control.descriptor, .control)
    log.say(
      .info,
      "serving Home Assistant at port \(options.port)"
        + (bridge.isEncrypted ? "" : ", in plaintext and without a key"))
    if Clock.seconds == nil {
      log.say(
        .warning,
        "the clock is not set, so that Home Assistant gets no time from here; see timedatectl status")
    }
    connectBus()
    handleInput(.start)
    let notification = try ServiceNotification()
    try notification?.send("READY=1")
    repeat {
      flushClients()
      flushDevices()
    } while try loop.turn(until: nextDeadline, handle)
    log.say(.info, "ended by a signal")
  }

  private var nextDeadline: Duration? {
    [bridge.nextDeadline, announcement.deadline.map(Duration.microseconds)].compactMap { $0 }.min()
  }

  private var now: Duration { loop.now }

  // MARK: - What is ready

  private func handle(_ event: BridgeLoop<Owner>.Event) {
    switch event {
    case .reload: reload()
    case .timePassed:
      handleInput(.timePassed)
      report(announcement.advance(to: now.wholeMicroseconds))
      connectBus()
      flushBus()
    case .ready(let owner): handle(owner)
    }
  }

  private func handle(_ owner: Owner) {
    switch owner {
    case .listener: acceptClients()
    case .control: acceptCommands()
    case .command(let number): receiveCommand(number)
    case .client(let id): receive(from: id)
    case .agent(let id): receive(from: id)
    case .device(let id): receiveFromDevice(id)
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
    case .close(let id): loop.forget(clients.removeValue(forKey: id))
    case .openAgent(let id): return [agent.open(id).map { .agentEnded(id, $0) } ?? .agentOpened(id)]
    case .sendAgent(let id, let bytes): agent.send(bytes, on: id)
    case .closeAgent(let id): closeLink(id)
    case .closeLink(let id): forgetDevice(id)
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

  /// Reads the key again; a file that is gone gets a new one.
  private func reload() {
    guard !options.isPlaintext else {
      return log.say(.info, "there is no key to read again, because of --plaintext")
    }
    do throws(ProgramError) {
      handleInput(.replaceKey(try KeyFile(path: options.keyPath).readOrMake().bytes))
      log.say(.info, "the key was read again")
    } catch {
      log.say(.error, "\(error.sentence(of: "accessory-esphome")); the key stays as it was")
    }
  }

  private func store(_ bytes: [UInt8]) {
    guard let key = GatewayKey(bytes: bytes) else { return }
    do throws(ProgramError) { try KeyFile(path: options.keyPath).write(key) } catch {
      log.say(.error, error.sentence(of: "accessory-esphome"))
    }
  }

  // MARK: - Clients

  private func acceptClients() {
    while let (socket, address) = listener.accept() {
      clientCount += 1
      let id = ESPHomeClientID(clientCount)
      guard let connection = loop.watch(socket, .client(id)) else { return }
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
    loop.forget(clients.removeValue(forKey: id))
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
      loop.watchForSpace(clients[id], !bridge.unsent(of: id).isEmpty)
    }
  }

  // MARK: - The agent

  private func receive(from id: BridgeCallID) {
    var passed: SharedDescriptor?
    let arrival = agent.receive(id, passed: &passed)
    if let passed {
      if id == ESPHomeBridge.reportsCall {
        loop.forget(reports)
        reports = loop.watch(passed, .reports)
      } else if let device = loop.watch(passed, .device(id)) {
        devices[id] = device
        handleInput(.linkOpened(id))
      }
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
    agent.close(id)
    guard id == ESPHomeBridge.reportsCall else { return }
    loop.forget(reports)
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
      loop.forget(reports)
      self.reports = nil
      return handleInput(.reportsEnded)
    }
  }

  // MARK: - Devices

  private func receiveFromDevice(_ id: BridgeCallID) {
    var buffer = [UInt8](repeating: 0, count: Self.packetBytesMax)
    for _ in 0..<Self.messagesMax {
      guard let device = devices[id] else { return }
      guard bridge.wantsPackets(of: id) else {
        // A socket that is held is ready for bytes, or it has ended.
        return device.isWatchedForSpace ? () : endDevice(id, .lost)
      }
      do throws(SystemError) {
        guard let count = try device.socket.descriptor.read(into: &buffer) else { return }
        guard count > 0 else { return endDevice(id, .byDevice) }
        handleInput(.linkReceived(id, Array(buffer[..<count])))
      } catch {
        return endDevice(id, error.linkEnd)
      }
      flushClients()
    }
  }

  private func endDevice(_ id: BridgeCallID, _ end: ESPHomeBridge.LinkEnd) {
    forgetDevice(id)
    handleInput(.linkEnded(id, end))
  }

  /// The agent has a copy of the socket, so that closing it would not end the connection.
  private func forgetDevice(_ id: BridgeCallID) {
    guard let device = devices.removeValue(forKey: id) else { return }
    device.socket.descriptor.endConnection()
    loop.forget(device)
  }

  /// Sends what the bridge has for devices, and reads those alone whose clients read.
  private func flushDevices() {
    for (id, device) in devices {
      do throws(SystemError) {
        while devices[id] != nil, let packet = bridge.packet(of: id) {
          guard try device.socket.descriptor.send(packet.span) != nil else { break }
          handleInput(.linkSent(id))
        }
      } catch {
        endDevice(id, error.linkEnd)
      }
      guard devices[id] != nil else { continue }
      loop.watchForSpace(device, bridge.packet(of: id) != nil)
      loop.hold(device, !bridge.wantsPackets(of: id))
    }
  }

  // MARK: - The system bus

  /// Connects to the bus if that is due, and leaves a connection that is over.
  private func connectBus() {
    if !announcement.isConnected { forgetBus() }
    guard announcement.wantsConnection(at: now.wholeMicroseconds) else { return }
    guard let socket = try? UnixConnection.open(anyOf: Self.systemBus),
      let connection = loop.watch(SharedDescriptor(socket), .bus)
    else {
      return report(announcement.disconnected("there is no system bus", at: now.wholeMicroseconds))
    }
    bus = connection
    announcement.connected()
    flushBus()
  }

  private func forgetBus() {
    loop.forget(bus)
    bus = nil
  }

  private func receiveFromBus() {
    guard let bus else { return }
    var buffer = [UInt8](repeating: 0, count: Self.chunkByteCount)
    do throws(SystemError) {
      guard let count = try bus.socket.descriptor.read(into: &buffer) else { return flushBus() }
      if count > 0 {
        report(announcement.receive(buffer[..<count], at: now.wholeMicroseconds))
        if !announcement.isConnected { forgetBus() }
        return flushBus()
      }
    } catch {}
    forgetBus()
    report(announcement.disconnected(ServiceAnnouncement.closure, at: now.wholeMicroseconds))
  }

  private func flushBus() {
    while let bus, case let bytes = announcement.unsent, !bytes.isEmpty {
      guard let count = try? bus.socket.descriptor.write(bytes[...]), count > 0 else { break }
      announcement.wasSent(count)
    }
    loop.watchForSpace(bus, !announcement.unsent.isEmpty)
  }

  private func report(_ events: [ServiceAnnouncement.Event]) {
    for event in events {
      switch event {
      case .announced(let host):
        log.say(.info, "announced on the network as \(host)")
        handleInput(.named(host))
      case .notAnnounced(let reason):
        let cure =
          reason == ServiceAnnouncement.closure
          ? "it is tried again"
          : "install avahi-daemon, or add the gateway in Home Assistant as an ESPHome device, by its address"
        log.say(.warning, "not announced on the network: \(reason); \(cure)")
      }
    }
  }

  // MARK: - Commands

  private func acceptCommands() {
    while case .connection(let socket, _)? = try? control.accept() {
      guard commands.count < Self.commandsMax else { continue }
      clientCount += 1
      if let connection = loop.watch(SharedDescriptor(socket), .command(clientCount)) {
        commands[clientCount] = connection
      }
    }
  }

  private func receiveCommand(_ number: UInt64) {
    guard let command = commands.removeValue(forKey: number) else { return }
    loop.forget(command)
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

extension SystemError {
  /// What the error of a device's socket means.
  fileprivate var linkEnd: ESPHomeBridge.LinkEnd { isGone ? .byDevice : .lost }
}
