// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BridgeRuntime
import Interfaces
import LinuxSystem
import MQTTBridge
import MQTTFormat
import ManifestFormat

/// The loop of `accessory-mqtt`: one thread and one epoll carry bytes between the broker, the agent and the bridge, which
/// decides everything.
final class Server {
  private enum Owner: Sendable {
    case broker
    case agent(BridgeCallID)
  }

  /// The library wants to look at its time this often.
  private static let tickSpan = Duration.seconds(5)

  private let options: Options
  private let file: ConfigurationFile
  private let log = BridgeLog()
  private let loop: BridgeLoop<Owner>
  private let agent: AgentPort<Owner>
  private let cursor: CursorFile
  private var bridge: MQTTBridge
  private var broker: BrokerConnection?
  private var socket: BridgeLoop<Owner>.Connection?
  private var nextTick = Duration.zero
  private var isFinished = false

  init(
    _ options: Options, _ file: ConfigurationFile, _ configuration: MQTTConfiguration
  ) throws(ProgramError) {
    (self.options, self.file) = (options, file)
    cursor = CursorFile(path: "\(options.state)/cursor")
    bridge = MQTTBridge(
      configuration, host: (Host.name ?? "gateway").lowercased(), version: ProjectVersion.text,
      cursor: cursor.read())
    do throws(SystemError) { loop = try BridgeLoop() } catch { throw .refused(error) }
    agent = AgentPort(path: options.socket, in: loop) { .agent($0) }
  }

  func run() throws(ProgramError) {
    do throws(SystemError) { try serve() } catch { throw .refused(error) }
  }

  private func serve() throws(SystemError) {
    log.say(.info, "serving the broker as \(bridge.gateway)")
    handleInput(.start)
    let notification = try ServiceNotification()
    try notification?.send("READY=1")
    while try loop.turn(until: nextDeadline, handle) {}
    log.say(.info, "ended by a signal")
    handleInput(.end)
    while !isFinished, try loop.turn(until: nextDeadline, handle) {}
  }

  private var nextDeadline: Duration? {
    let tick = broker == nil ? nil : nextTick
    return [bridge.nextDeadline, tick].compactMap { $0 }.min()
  }

  // MARK: - What is ready

  private func handle(_ event: BridgeLoop<Owner>.Event) {
    switch event {
    case .timePassed:
      if nextTick <= loop.now, let broker {
        nextTick = loop.now + Self.tickSpan
        note(broker.tick())
      }
      handleInput(.timePassed)
    case .reload: reload()
    case .ready(.broker): note(broker?.drive())
    case .ready(.agent(let id)): if let event = agent.nextEvent(of: id) { handleInput(.agent(event)) }
    }
    readBroker()
  }

  private func reload() {
    let path = file.path
    let configuration: MQTTConfiguration? = file.readAgain(log) { text in
      let reading = MQTTConfigurationReader.read(text: text, fileName: path)
      return (reading.value, reading.lines)
    }
    if let configuration { handleInput(.configure(configuration)) }
  }

  /// Hands what the broker has said to the bridge.
  private func readBroker() {
    while let event = broker?.next() { note(event) }
    loop.watchForSpace(socket, broker?.wantsWrite ?? false)
  }

  private func note(_ event: BrokerConnection.Event?) {
    switch event {
    case .connected: handleInput(.brokerConnected)
    case .acknowledged(let number): handleInput(.acknowledged(number))
    case .received(let message): handleInput(.received(message))
    case .ended(let reason):
      // What came before the end, such as the broker's refusal, says more than the end.
      let refusal = broker?.next()
      closeBroker()
      if case .ended(let earlier)? = refusal { return handleInput(.brokerEnded(earlier)) }
      handleInput(.brokerEnded(reason))
    case nil: break
    }
  }

  private func closeBroker() {
    loop.forget(socket)
    (socket, broker) = (nil, nil)
  }

  // MARK: - Effects

  private func handleInput(_ input: MQTTBridge.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in bridge.step(inputs.removeFirst(), at: loop.now) { inputs += performEffect(effect) }
    }
  }

  /// Returns the inputs that result from it at once.
  private func performEffect(_ effect: MQTTBridge.Effect) -> [MQTTBridge.Input] {
    switch effect {
    case .agent(let effect): if let event = agent.performEffect(effect) { return [.agent(event)] }
    case .connectBroker(let lastWill): return connect(lastWill)
    case .disconnectBroker:
      broker?.disconnect()
      closeBroker()
    case .publish(let number, let message): return ended(broker?.publish(number, message))
    case .publishOnce(let message): return ended(broker?.publish(nil, message))
    case .subscribe(let filters): return ended(broker?.subscribe(filters))
    case .unsubscribe(let filters): return ended(broker?.unsubscribe(filters))
    case .store(let position):
      if let reason = cursor.write(position) { return [.notStored(position, reason)] }
    case .finish: isFinished = true
    case .log(let notice): log.say(notice.level, notice.sentence)
    }
    return []
  }

  private func connect(_ lastWill: MQTTMessage) -> [MQTTBridge.Input] {
    do throws(BrokerConnection.BrokerError) {
      let connection = try BrokerConnection(
        bridge.configuration, name: "accessoryd-\(bridge.gateway)", lastWill: lastWill,
        password: Credentials(folder: options.credentials).line("password"))
      broker = connection
      guard let descriptor = connection.duplicateSocket(), let watched = loop.watch(descriptor, .broker)
      else {
        closeBroker()
        return [.brokerEnded("there is no connection")]
      }
      socket = watched
      loop.watchForSpace(watched, true)
      nextTick = loop.now + Self.tickSpan
      return []
    } catch {
      broker = nil
      return [.brokerEnded(error.sentence)]
    }
  }

  private func ended(_ event: BrokerConnection.Event?) -> [MQTTBridge.Input] {
    guard case .ended(let reason)? = event else { return [] }
    closeBroker()
    return [.brokerEnded(reason)]
  }
}
