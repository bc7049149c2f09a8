// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BridgeRuntime
import Interfaces
import LinuxSystem
import ManifestFormat
import NATSBridge
import NATSFormat

/// The loop of `accessory-nats`: one thread and one epoll carry messages between the server, the agent and the bridge, which
/// decides everything.
final class Server {
  private enum Owner: Sendable {
    case server
    case agent(BridgeCallID)
  }

  private let options: Options
  private let file: ConfigurationFile
  private let log = BridgeLog()
  private let loop: BridgeLoop<Owner>
  private let agent: AgentPort<Owner>
  private let server: ServerConnection
  private var bridge: NATSBridge
  private var isFinished = false

  init(
    _ options: Options, _ file: ConfigurationFile, _ configuration: NATSConfiguration
  ) throws(ProgramError) {
    (self.options, self.file) = (options, file)
    bridge = NATSBridge(
      configuration, host: (Host.name ?? "gateway").lowercased(), version: ProjectVersion.text)
    do throws(SystemError) {
      loop = try BridgeLoop()
      server = try ServerConnection()
      try loop.watch(server.descriptor, .server)
    } catch { throw .refused(error) }
    agent = AgentPort(path: options.socket, in: loop) { .agent($0) }
  }

  func run() throws(ProgramError) {
    do throws(SystemError) { try serve() } catch { throw .refused(error) }
  }

  private func serve() throws(SystemError) {
    log.say(.info, "serving the server of NATS as \(bridge.gateway)")
    handleInput(.start)
    let notification = try ServiceNotification()
    try notification?.send("READY=1")
    while try loop.turn(until: bridge.nextDeadline, handle) {}
    log.say(.info, "ended by a signal")
    handleInput(.end)
    while !isFinished, try loop.turn(until: bridge.nextDeadline, handle) {}
  }

  private func handle(_ event: BridgeLoop<Owner>.Event) {
    switch event {
    case .timePassed: handleInput(.timePassed)
    case .reload: reload()
    case .ready(.server): readServer()
    case .ready(.agent(let id)): if let event = agent.nextEvent(of: id) { handleInput(.agent(event)) }
    }
  }

  private func reload() {
    let path = file.path
    let configuration: NATSConfiguration? = file.readAgain(log) { text in
      let reading = NATSConfigurationReader.read(text: text, fileName: path)
      return (reading.value, reading.lines)
    }
    if let configuration { handleInput(.configure(configuration)) }
  }

  private func readServer() {
    while let event = server.next() {
      switch event {
      case .connected: handleInput(.serverConnected)
      case .complained(let words): handleInput(.serverComplained(words))
      case .replied(let reply): handleInput(.received(reply))
      case .ended(let reason):
        server.disconnect()
        handleInput(.serverEnded(reason))
      }
    }
  }

  // MARK: - Effects

  private func handleInput(_ input: NATSBridge.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in bridge.step(inputs.removeFirst(), at: loop.now) { inputs += performEffect(effect) }
    }
  }

  /// Returns the inputs that result from it at once.
  private func performEffect(_ effect: NATSBridge.Effect) -> [NATSBridge.Input] {
    do throws(ServerConnection.ServerError) {
      switch effect {
      case .agent(let effect): if let event = agent.performEffect(effect) { return [.agent(event)] }
      case .connectServer:
        try server.connect(
          bridge.configuration, name: "accessoryd-\(bridge.gateway)",
          Credentials(folder: options.credentials))
      case .disconnectServer: server.disconnect()
      case .request(let number, let message): try server.publish(number, message)
      case .publish(let message): try server.publish(nil, message)
      case .finish: isFinished = true
      case .log(let notice): log.say(notice.level, notice.sentence)
      }
      return []
    } catch {
      server.disconnect()
      return [.serverEnded(error.sentence)]
    }
  }
}
