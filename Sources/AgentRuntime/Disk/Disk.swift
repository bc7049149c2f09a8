// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Registry
import RegistryStore

/// The requests of the disk worker's thread, and how it performs them.
struct Disk: Sendable {
  enum Request: Sendable {
    case readConfiguration
    case registry(RegistryRequest)
  }

  enum Reply: Sendable {
    case configuration(Result<ConfigurationReader.Result, StartError>)
    case registry(RegistryReply)
  }

  /// The path of the registry's file, for messages.
  let registryPath: String
  let perform: @Sendable (Request) -> Reply

  init(registryPath: String, perform: @escaping @Sendable (Request) -> Reply) {
    (self.registryPath, self.perform) = (registryPath, perform)
  }

  /// The disk of this machine.
  init(_ reader: ConfigurationReader, _ folder: StateFolder) {
    let keeper = RegistryKeeper(path: folder.registry, owners: [0, ThisProcess.user])
    self.init(registryPath: folder.registry) { request in
      switch request {
      case .readConfiguration:
        .configuration(Result { () throws(StartError) in try reader.read() })
      case .registry(let request): .registry(Self.performRequest(request, keeper, folder))
      }
    }
  }

  private static func performRequest(
    _ request: RegistryRequest, _ keeper: RegistryKeeper, _ folder: StateFolder
  ) -> RegistryReply {
    if request == .open {
      do throws(SystemError) { try folder.make() } catch {
        return .refused(.failed(RegistryStoreError(error)))
      }
    }
    return keeper.execute(request)
  }
}

/// The folder of the agent's state: the registry's file.
struct StateFolder: Equatable, Sendable {
  static let usual = "/var/lib/accessoryd"

  let path: String

  /// The folder that the command line names, else the first that the service manager made (`STATE_DIRECTORY`,
  /// systemd.exec(5), which separates several with colons), else the usual one.
  init(named option: String?, given: String?) {
    let first = given?.split(separator: ":").first.map(String.init)
    path = option ?? first ?? Self.usual
  }

  var registry: String { path + "/registry.sqlite" }

  /// Makes the folder, whose parent must exist, for the agent's account alone.
  func make() throws(SystemError) { try DurableFile.makeFolder(path) }
}

/// The disk worker and the requests that wait for it.
///
/// Capacity: one request to the registry and one reading of the configuration; each may be repeated only after its
/// reply. The registry goes first, because an operator waits for it at the gateway.
struct DiskState {
  let registryPath: String
  private var requests: WorkQueue<Disk.Request, Disk.Reply>
  /// Why there is no registry; logged again only when the reason changes.
  var refusal: RegistryOpenError?

  init(_ disk: Disk) throws(SystemError) {
    registryPath = disk.registryPath
    requests = try WorkQueue(disk.perform)
  }

  var worker: Worker<Disk.Request, Disk.Reply> { requests.worker }

  mutating func send(_ request: RegistryRequest) {
    precondition(requests.waiting.count < 2, "the registry has one request at a time")
    requests.waiting.insert(.registry(request), at: 0)
    requests.startNext()
  }

  mutating func readConfiguration() {
    precondition(requests.waiting.count < 2, "the configuration is read once at a time")
    requests.add(.readConfiguration)
  }

  /// Returns the reply that has arrived, and starts the next request.
  mutating func takeReply() -> Disk.Reply? {
    guard let reply = worker.takeReply() else { return nil }
    requests.startNext()
    return reply
  }

  /// At the end of the program: waits for the request under way, passes its reply to `receive`, and closes the
  /// registry's file, so that its log is written back. A request that has not started is dropped, because no client has
  /// received its reply. Returns false when the disk did not reply before the deadline.
  mutating func close(
    before deadline: MonotonicInstant, _ receive: (RegistryReply) -> Void
  ) -> Bool {
    requests.waiting = []
    if worker.isBusy {
      guard let reply = awaitReply(until: deadline) else { return false }
      if case .registry(let reply) = reply { receive(reply) }
    }
    worker.send(.registry(.close))
    return awaitReply(until: deadline) != nil
  }

  private func awaitReply(until deadline: MonotonicInstant) -> Disk.Reply? {
    let entry = Polling.Entry(worker.replies.descriptor.number, .readable)
    guard let ready = try? Polling.wait([entry], until: deadline), ready[0].contains(.readable) else {
      return nil
    }
    return worker.takeReply()
  }

  /// How long the agent waits for the disk when it ends.
  private static let patienceSeconds = 3

  /// Passes the registry's reply to the agent, and logs what an operator must know.
  mutating func receiveRegistryReply(_ reply: RegistryReply, _ loop: inout LoopContext) {
    logReply(reply, &loop)
    loop.agent.registryAnswered(reply, at: loop.now)
  }

  private mutating func logReply(_ reply: RegistryReply, _ loop: inout LoopContext) {
    let name = "the registry \(quoted(registryPath))"
    switch reply {
    case .opened(let registry):
      refusal = nil
      loop.log.say(.info, "\(name) \(Self.contents(of: registry))")
    case .readable(let registry, let failure):
      logRefusal(
        .failed(failure), "\(name) \(Self.contents(of: registry)), but cannot be changed: \(failure.reason)",
        &loop)
    case .reset(let kept):
      refusal = nil
      loop.log.say(
        .notice, "\(name) was created anew" + (kept.map { "; the old file is kept as \(quoted($0))" } ?? ""))
    case .refused(let refusal): logRefusal(refusal, "\(name) \(refusal.reason)", &loop)
    case .failed(let failure, _):
      loop.say(
        .error, "\(name) could not be changed: \(failure.reason); \(failure.cure)",
        limitedAs: .registryFailures)
    case .done, .closed: break
    }
  }

  private static func contents(of registry: AccessoryRegistry) -> String {
    let count = registry.accessories.count
    return "holds \(count) \(count == 1 ? "accessory" : "accessories")"
  }

  private mutating func logRefusal(_ refusal: RegistryOpenError, _ cause: String, _ loop: inout LoopContext) {
    if self.refusal != refusal {
      let consequence = "no accessory can be added or removed until this is repaired"
      let retry = refusal.mayPass ? "; the agent tries again every 30 s" : ""
      loop.log.say(.error, "\(cause), so \(consequence): \(refusal.cure)\(retry)")
    }
    self.refusal = refusal
  }

  /// Lets the disk finish its request, and closes the file.
  mutating func closeRegistry(_ loop: inout LoopContext) {
    guard let deadline = try? MonotonicInstant.now().advanced(seconds: Self.patienceSeconds) else { return }
    var replies: [RegistryReply] = []
    let isClosed = close(before: deadline) { replies.append($0) }
    for reply in replies { receiveRegistryReply(reply, &loop) }
    if !isClosed {
      loop.log.say(
        .warning,
        "the disk did not reply within \(Self.patienceSeconds) s, so the registry's file was left open: "
          + "confirmed changes are stored; a change under way may be missing")
    }
  }
}
