// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
@testable import AgentRuntime
import CPeer
import Controller
import Glibc
import HCI
import Interfaces
import LinuxSystem
import Manifest
import Setup
import Synchronization
import Testing
import VirtualRadio
import Wireless

@testable import virtual_controller

/// The gateway as it runs: the real loop with its listener, its workers, a file, and a simulated controller at the
/// other end of a pair of packet sockets. Clients are connected to its socket, each as one user.
///
/// Only time is the scenario's: it stands still while the loop turns, until nothing is pending. No code sleeps; the
/// harness waits until other threads and programs are done.
final class SocketHarness: ScenarioHarness {
  /// How long another thread or program may take, in real time.
  private static let patienceMilliseconds: Int32 = 30_000
  /// The largest number of turns at one time; more mean that the loop never settles.
  private static let turnsMax = 10_000

  private let folder = ScenarioFolder()
  private let time: ScenarioTime
  private let air: ScenarioRadio
  private let disk: ScenarioDisk
  private let programs = ScenarioPrograms()
  /// The devices that apps are connected to.
  let links = ScenarioLinks()
  private let known = ScenarioKnownDevices()
  private(set) var loop: AgentLoop
  private var clients: [SocketClient] = []

  init(
    _ manifest: GatewayManifest, scene devices: [SceneDevice]?, access: AccessList,
    registry: StandInRegistryFile, run: UInt64
  ) {
    let (time, air, programs) = (ScenarioTime(), ScenarioRadio(devices, seed: 5), programs)
    let known = known
    let disk = ScenarioDisk(registry, path: folder.path + "/registry.sqlite")
    (self.time, self.air, self.disk) = (time, air, disk)
    let setup = AgentCore.Setup(
      AgentCore.Configuration(manifest, board: .attentive, access: access), radioSource: "h4:bench",
      epoch: Block128(high: run, low: 2), secret: Block128(high: run, low: 4), version: "0.1.0")
    let dependencies = LoopDependencies(
      clock: LoopClock(origin: nil, now: { time.now }),
      performTask: { [opening = air.opening, known] task in
        switch task {
        case .open, .recover: .opened(opening.open())
        case .findBluetoothd: .bluetoothd(nil)
        case .readKnownDevices: .knownDevices(known.devices)
        case .networks(.read(let number, _)): .networks(number, .failure(.interfaceMissing))
        case .networks(.startScan(let number, _)): .networkScan(number, .failure(.interfaceMissing))
        case .restore, .note, .close: .done
        }
      },
      startProgram: { arguments, account throws(SystemError) in
        programs.recordStart(arguments)
        return try LoopDependencies.confined(arguments, account)
      }, openLink: { [links] _ throws(SystemError) in try links.open() })
    do {
      let path = folder.path + "/socket"
      loop = try SignalMask.restoring {
        try AgentLoop(
          setup, disk.disk, ServiceSocket(path), Log(.terminal, .info, time: { "" }) { _ in true },
          in: dependencies)
      }
      try loop.start()
    } catch {
      preconditionFailure("a scenario's gateway does not start: \(error)")
    }
    settle()
  }

  deinit {
    disk.release()
    settle()
    clients = []
    _ = try? loop.disk.close(before: .now().advanced(seconds: 30)) { _ in }
    loop.disk.worker.stop()
    loop.radio.tasks.worker.stop()
    disk.finish()
    if let difference = disk.difference { Issue.record("\(difference)") }
  }

  // MARK: - Time

  var now: Instant { time.now }
  var nextTime: Instant? { [loop.nextTurn, air.nextTime(after: time.now)].compactMap { $0 }.min() }

  func run(milliseconds: Int64) {
    let end = time.now.advanced(milliseconds: milliseconds)
    while time.now < end {
      time.now = max(time.now, min(nextTime ?? end, end))
      settle()
    }
    listen()
  }

  /// Turns until nothing is left to do at this time.
  func settle() {
    for _ in 0..<Self.turnsMax {
      air.exchangePackets(at: time.now)
      let isAwaited = isAwaited
      do throws(SystemError) {
        let count = try loop.turn(waitingMilliseconds: isAwaited ? Self.patienceMilliseconds : 0)
        guard count == 0 else { continue }
      } catch {
        preconditionFailure("a scenario's loop cannot turn: \(error)")
      }
      precondition(!isAwaited, "neither the disk nor a program finishes")
      guard loop.isDue else { return air.exchangePackets(at: time.now) }
    }
    preconditionFailure("a scenario's loop does not settle")
  }

  /// Whether another thread or program will make the loop turn.
  private var isAwaited: Bool {
    loop.disk.worker.isBusy && !disk.isHeld || loop.radio.tasks.worker.isBusy
      || SignalProgramKind.allCases.contains { loop.signalHooks[$0].program.running != nil }
  }

  // MARK: - The gateway

  var setupCore: SetupCore { loop.context.agent.setupCore }
  var signals: [[String]] { programs.signals }

  var registry: StandInRegistryFile {
    get { disk.state }
    set { disk.state = newValue }
  }

  var reading: ManifestReading? {
    get { disk.manifest }
    set { disk.manifest = newValue }
  }

  var knownDevices: KnownDevices {
    get { known.devices }
    set { known.devices = newValue }
  }

  func releaseRegistry() {
    disk.release()
    settle()
    listen()
  }

  func readManifestAgain() {
    loop.context.agent.readManifestAgain(at: time.now)
    settle()
    listen()
  }

  func endPickers() {
    loop.context.agent.endPickers(at: time.now)
    settle()
    listen()
  }

  func radioVanishes() { plug(nil) }
  func radioComes(_ scene: [SceneDevice]) { plug(scene) }

  private func plug(_ scene: [SceneDevice]?) {
    air.plug(scene, seed: 6)
    loop.openRadio()
    settle()
    listen()
  }

  // MARK: - Clients

  func connect(user: UInt32, atSocketOf app: String?) -> HarnessClient? {
    let socket = app.map { "app/\($0)" } ?? "socket"
    guard let client = try? SocketClient("\(folder.path)/\(socket)", user: user) else { return nil }
    clients.append(client)
    settle()
    listen()
    return client.isClosed ? nil : client
  }

  func send(_ bytes: [UInt8], by client: HarnessClient) {
    client.outgoing += bytes
    repeat {
      for client in clients { client.write() }
      settle()
      listen()
    } while clients.contains { !$0.outgoing.isEmpty && !$0.isClosed }
  }

  func hangUp(_ client: HarnessClient) {
    clients.removeAll { $0 === client }
    (client as? SocketClient)?.close()
    settle()
    listen()
  }

  /// Every client reads what has arrived, until nothing more follows.
  func listen() {
    while clients.count(where: { $0.listen() }) > 0 { settle() }
  }

  // MARK: - Costs

  /// Has the controller send a packet at each of these times, which ascend, and returns what the loop counted. The loop
  /// turns only when the kernel would wake it.
  func countTurns(for packets: [(time: Instant, bytes: [UInt8])]) -> LoopCounters {
    loop.context.counters = LoopCounters()
    for packet in packets {
      while let due = loop.nextTurn, due < packet.time { wakeLoop(at: due) }
      air.send(packet.bytes)
      wakeLoop(at: packet.time)
    }
    let end = time.now.advanced(milliseconds: loop.context.agent.drainIntervalMilliseconds)
    while let due = loop.nextTurn, due <= end { wakeLoop(at: due) }
    return loop.context.counters
  }

  private func wakeLoop(at instant: Instant) {
    time.now = max(time.now, instant)
    for _ in 0..<Self.turnsMax {
      guard isReady || loop.nextTurn.map({ $0 <= time.now }) ?? false else { return }
      do throws(SystemError) { try loop.turn(waitingMilliseconds: 0) } catch {
        preconditionFailure("a scenario's loop cannot turn: \(error)")
      }
    }
    preconditionFailure("a scenario's loop does not settle")
  }

  /// Whether a wait would end at once.
  private var isReady: Bool {
    let entry = Polling.Entry(loop.context.epoll.number, .readable)
    return (try? Polling.wait([entry], until: .now()))?.first?.contains(.readable) ?? false
  }
}

/// The accessories that the loop connects to: each is the other end of a pair of sockets.
final class ScenarioLinks {
  private(set) var devices: [SharedDescriptor] = []
  /// Why the next sockets cannot be connected.
  var error: SystemError?

  func open() throws(SystemError) -> LinkSocket {
    if let error { throw error }
    var other: Descriptor?
    let end = try UnixConnection.pair(&other)
    if let other = other.take() { devices.append(SharedDescriptor(other)) }
    return LinkSocket(end)
  }
}

/// The devices that BlueZ knows in a scenario; the devices worker's thread reads them.
final class ScenarioKnownDevices: Sendable {
  private let state = Mutex(KnownDevices([]))

  var devices: KnownDevices {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The time of a scenario.
final class ScenarioTime {
  var now = Instant(microseconds: 0)
}

/// The simulated controller that the loop opens, at the other end of a pair of packet sockets.
final class ScenarioRadio {
  /// The state that the devices worker's thread shares with the test's.
  final class Opening: Sendable {
    private struct State {
      var hasController: Bool
      /// The controller's end of the latest pair.
      var end: SharedDescriptor?
    }

    private let state: Mutex<State>

    init(hasController: Bool) { state = Mutex(State(hasController: hasController)) }

    func setController(isThere: Bool) { state.withLock { $0.hasController = isThere } }

    func open() -> LoopRadio.Opening {
      state.withLock { state in
        var other: Descriptor?
        guard state.hasController, let end = try? UnixConnection.pair(&other), let other = other.take()
        else {
          return .failure(.withoutBluetooth)
        }
        state.end = SharedDescriptor(other)
        return .success(.socket(SharedDescriptor(end), .packets))
      }
    }

    func takeEnd() -> SharedDescriptor? { state.withLock { $0.end.take() } }
  }

  let opening: Opening
  private var scene: SceneScript
  private var end: SharedDescriptor?
  private var transport: VirtualControllerTransport?

  init(_ devices: [SceneDevice]?, seed: UInt64) {
    opening = Opening(hasController: devices != nil)
    scene = Self.scene(devices, seed: seed)
  }

  func plug(_ devices: [SceneDevice]?, seed: UInt64) {
    opening.setController(isThere: devices != nil)
    scene = Self.scene(devices, seed: seed)
  }

  private static func scene(_ devices: [SceneDevice]?, seed: UInt64) -> SceneScript {
    var scene = SceneScript()
    (scene.seed, scene.devices) = (seed, devices ?? [])
    return scene
  }

  /// The controller sends a packet that is not of its scene.
  func send(_ packet: [UInt8]) {
    guard let end, (try? end.descriptor.write(packet[...])) == packet.count else {
      preconditionFailure("the loop's socket is full or closed")
    }
  }

  /// When the controller next has something to send after `now`.
  func nextTime(after now: Instant) -> Instant? {
    guard let time = transport?.nextTime, time > now else { return nil }
    return time
  }

  /// Hands the host's commands to the controller and its packets to the host.
  func exchangePackets(at now: Instant) {
    if let opened = opening.takeEnd() {
      end = opened
      transport = VirtualControllerTransport(VirtualController(scene), at: now)
    }
    guard let end else { return }
    do throws(VirtualControllerTransport.HostError) {
      try transport?.receiveCommands(from: end.descriptor, at: now)
      while try transport?.sendPackets(to: end.descriptor, at: now) == false,
        transport?.hasUnsentBytes == false
      {}
    } catch {
      // The loop has closed its end.
      self.end = nil
      transport = nil
    }
  }
}

/// The arguments with which the gateway's programs were started, without their paths.
final class ScenarioPrograms {
  private(set) var signals: [[String]] = []

  func recordStart(_ arguments: [String]) { signals.append(Array(arguments.dropFirst())) }
}

/// Restores the signal mask of a test's thread, because the loop blocks some signals.
enum SignalMask {
  static func restoring<Value: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var mask = sigset_t()
    // Holds: the mask is a local variable.
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) }
    return try body()
  }
}

extension AgentLoop {
  fileprivate mutating func openRadio() { radio.open(.h4("bench"), .shared, &context) }
}
