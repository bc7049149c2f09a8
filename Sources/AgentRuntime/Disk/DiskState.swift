// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Registry

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
}

// MARK: - Replies

extension DiskState {
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
