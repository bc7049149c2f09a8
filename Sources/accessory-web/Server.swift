// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BridgeRuntime
import LinuxSystem
import WebPage

/// The loop of `accessory-web`: one thread and one epoll carry requests and bytes between browsers, the agent and the page's
/// state machine, which decides everything.
final class Server {
  private enum Owner: Sendable {
    case listener, control
    case agent(BridgeCallID)
    case command(UInt64)
  }

  /// What may wait for a browser that does not read. Then its stream ends, and it comes back.
  private static let unsentMax = 1 << 19
  /// Commands of operators at one time.
  private static let commandsMax = 4
  /// Rounds of the listeners before others get a turn.
  private static let roundsMax = 64

  private let options: Options
  private let log = BridgeLog()
  private let loop: BridgeLoop<Owner>
  private let agent: AgentPort<Owner>
  private var page: PageServer
  private var listeners: [HTTPListener] = []
  private let pageSocket: UnixListener
  private let control: UnixListener
  private let links: PageLinks
  private let drafts: DraftFiles
  private var fingerprint: String?
  private var commands: [UInt64: BridgeLoop<Owner>.Connection] = [:]
  private var commandCount: UInt64 = 0
  /// When a listener wants to run again.
  private var listenersDue: Duration?
  /// When memory is given back; nil when nothing has happened since.

  init(_ options: Options) throws(ProgramError) {
    self.options = options
    links = PageLinks(options)
    drafts = DraftFiles(options)
    do throws(SystemError) { loop = try BridgeLoop() } catch { throw .refused(error) }
    agent = AgentPort(path: options.socket, in: loop) { .agent($0) }
    page = PageServer(
      hosts: links.hosts, metricsToken: try options.metricsToken.map(Self.token),
      entropy: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      })
    pageSocket = try Self.listener(at: options.pagePath)
    control = try Self.listener(at: options.controlPath)
    try listen()
  }

  private static func token(_ path: String) throws(ProgramError) -> String {
    do throws(SystemError) {
      let bytes = try DurableFile.contents(of: path, byteCountMax: 4096)
      let text = String(decoding: bytes.prefix { $0 > 32 && $0 < 127 }, as: UTF8.self)
      guard text.utf8.count >= 16 else { throw SystemError(.read, code: 0) }
      return text
    } catch {
      if error.code == 0 {
        throw .failure(
          .dataError, "\(path) has no token of at least 16 characters; make one: openssl rand -hex 16")
      }
      throw .failure(error.isPermission ? .noPermission : .noInput, "\(path) cannot be read: \(error.reason)")
    }
  }

  private static func listener(at path: String) throws(ProgramError) -> UnixListener {
    do throws(SystemError) {
      return try UnixListener(replacing: path, interim: "\(path).new", mode: Control.mode)
    } catch {
      throw .failure(
        .cannotCreate,
        "\(path) cannot be made: \(error.reason); make its folder, or give another: --runtime FOLDER")
    }
  }

  private func listen() throws(ProgramError) {
    try add("the socket \(options.pagePath)") { index throws(HTTPListener.ListenError) in
      try HTTPListener(index, at: pageSocket)
    }
    if options.port > 0 {
      for address in ["127.0.0.1", "::1"] {
        do throws(ProgramError) {
          try add("port \(options.port)") { index throws(HTTPListener.ListenError) in
            try HTTPListener(index, address: address, port: options.port, identity: nil)
          }
        } catch {
          // Some machines have no IPv6.
          if address == "127.0.0.1" { throw error }
        }
      }
    }
    guard !options.places.isEmpty else { return }
    let identity = try identity()
    fingerprint = identity.fingerprint
    for place in options.places {
      try add(place.host) { index throws(HTTPListener.ListenError) in
        try HTTPListener(index, address: place.address, port: place.port, identity: identity)
      }
    }
  }

  private func identity() throws(ProgramError) -> TLSIdentity {
    if let key = options.key, let certificate = options.certificate {
      return try TLSIdentity(key: key, certificate: certificate)
    }
    return try TLSIdentity.made(in: options.state, names: links.names)
  }

  private func add(
    _ place: String, _ make: (Int) throws(HTTPListener.ListenError) -> HTTPListener
  ) throws(ProgramError) {
    do throws(HTTPListener.ListenError) { listeners.append(try make(listeners.count)) } catch {
      switch error {
      case .refused(let error):
        throw .failure(
          .cannotCreate,
          "\(place) cannot be opened: \(error.reason); stop the program that has it, or give another: --port N, "
            + "--listen ADDRESS:PORT")
      case .library:
        throw .failure(
          .dataError, "\(place) cannot be served; check that certificate and key belong together")
      }
    }
  }

  func run() throws(ProgramError) {
    do throws(SystemError) { try serve() } catch { throw .refused(error) }
  }

  private func serve() throws(SystemError) {
    for listener in listeners { try loop.watch(listener.descriptor, .listener) }
    try loop.watch(control.descriptor, .control)
    log.say(.info, "serving the page at \(links.base); accessoryctl web prints a link")
    handleInput(.start)
    let notification = try ServiceNotification()
    try notification?.send("READY=1")
    repeat { runListeners() } while try loop.turn(until: nextDeadline, handle)
    log.say(.info, "ended by a signal")
  }

  private var nextDeadline: Duration? {
    [page.nextDeadline, listenersDue].compactMap(\.self).min()
  }

  private func handle(_ event: BridgeLoop<Owner>.Event) {
    switch event {
    case .reload: reload()
    case .timePassed:
      handleInput(.timePassed)
    // The listeners run in every turn.
    case .ready(.listener): break
    case .ready(.control): acceptCommands()
    case .ready(.agent(let id)): receive(from: id)
    case .ready(.command(let number)): receiveCommand(number)
    }
  }

  /// Reads the token again. The library reads a certificate only when it starts.
  private func reload() {
    do throws(ProgramError) {
      page.setMetricsToken(try options.metricsToken.map(Self.token))
      log.say(.info, "the token of metrics was read again; a new certificate needs a restart")
    } catch {
      log.say(.error, "\(error.sentence(of: "accessory-web")); the token stays as it was")
    }
  }

  // MARK: - Browsers

  private func runListeners() {
    listenersDue = nil
    for listener in listeners {
      for _ in 0..<Self.roundsMax {
        let milliseconds = listener.run()
        var isIdle = milliseconds != 0
        while let id = listener.nextLeft() { handleInput(.left(id)) }
        while let request = listener.nextRequest() {
          isIdle = false
          handleInput(.request(request))
        }
        guard isIdle else { continue }
        if let milliseconds { wake(in: .milliseconds(milliseconds)) }
        break
      }
    }
  }

  private func wake(in time: Duration) {
    listenersDue = min(listenersDue ?? .seconds(1 << 40), loop.now + time)
  }

  private func handleInput(_ input: PageServer.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in page.step(inputs.removeFirst(), at: loop.now) { inputs += performEffect(effect) }
    }
  }

  /// Returns the inputs that result from it at once.
  private func performEffect(_ effect: PageServer.Effect) -> [PageServer.Input] {
    switch effect {
    case .respond(let id, let response): listeners[id.listener].reply(id, response)
    case .beginStream(let id, let response): listeners[id.listener].reply(id, response, isStream: true)
    case .send(let id, let bytes):
      let waiting = listeners[id.listener].send(id, bytes)
      guard waiting.map({ $0 > Self.unsentMax }) ?? true else { break }
      listeners[id.listener].endStream(id, drops: true)
      return [.left(id)]
    case .endStream(let id): listeners[id.listener].endStream(id)
    case .openAgent(let id): return [agent.open(id).map { .agentEnded(id, $0) } ?? .agentOpened(id)]
    case .sendAgent(let id, let bytes): agent.send(bytes, on: id)
    case .closeAgent(let id): agent.close(id)
    case .answer(let id, let answer): self.answer(id, answer)
    case .file(let id, let route):
      listeners[id.listener].reply(id, PageFile.response(for: route, framedBy: options.frame))
    case .manifest(let id): listeners[id.listener].reply(id, drafts.manifest)
    case .draft(let id, let draft): listeners[id.listener].reply(id, drafts.response(to: draft))
    case .log(let notice): log.say(notice.level, notice.sentence)
    }
    // What was queued goes out in this turn.
    listenersDue = .zero
    switch effect {
    case .send, .sendAgent, .openAgent, .closeAgent: break
    default: loop.releaseMemorySoon()
    }
    return []
  }

  // MARK: - The agent

  private func receive(from id: BridgeCallID) {
    var passed: SharedDescriptor?
    switch agent.receive(id, passed: &passed) {
    case .nothing: break
    case .bytes(let bytes): handleInput(.agentReceived(id, bytes))
    case .end(let reason): handleInput(.agentEnded(id, reason))
    }
  }

  // MARK: - Commands

  private func acceptCommands() {
    while case .connection(let socket, _)? = try? control.accept() {
      guard commands.count < Self.commandsMax else { continue }
      commandCount += 1
      if let connection = loop.watch(SharedDescriptor(socket), .command(commandCount)) {
        commands[commandCount] = connection
      }
    }
  }

  private func receiveCommand(_ number: UInt64) {
    guard let connection = commands[number] else { return }
    var buffer = [UInt8](repeating: 0, count: Control.commandBytesMax)
    if let count = try? connection.socket.descriptor.read(into: &buffer),
      let command = Control.command(buffer[..<count])
    {
      handleInput(.command(command, CommandID(number)))
    }
    loop.forget(commands.removeValue(forKey: number))
  }

  private func answer(_ id: CommandID, _ answer: CommandAnswer) {
    let bytes = Control.reply(answer, link: links.base, fingerprint: fingerprint, at: loop.now)
    _ = try? commands[id.number]?.socket.descriptor.write(bytes[...])
  }
}
