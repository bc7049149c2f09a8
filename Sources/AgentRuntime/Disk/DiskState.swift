// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Registry

/// The disk worker as the loop holds it, and what waits for it.
///
/// Capacity: one request to the registry and one reading of the configuration, each asked for again only after its
/// reply. The registry goes first: somebody waits for it at the gateway.
struct DiskState {
  typealias DiskWorker = Worker<Disk.Request, Disk.Reply>

  let registryPath: String
  let worker: DiskWorker
  private var registry: RegistryRequest?
  private var isReadingWanted = false
  /// Why there is no registry, which is logged once for as long as it is the same.
  var refusal: RegistryOpenError?

  init(_ disk: Disk) throws(SystemError) {
    registryPath = disk.registryPath
    worker = try DiskWorker(disk.answer)
  }

  mutating func ask(_ request: RegistryRequest) {
    precondition(registry == nil, "the registry is asked for one thing at a time")
    registry = request
    begin()
  }

  mutating func readConfiguration() {
    precondition(!isReadingWanted, "one reading of the configuration is wanted at a time")
    isReadingWanted = true
    begin()
  }

  /// The reply that is there; what waits is begun.
  mutating func takeReply() -> Disk.Reply? {
    guard let reply = worker.takeReply() else { return nil }
    begin()
    return reply
  }

  private mutating func begin() {
    guard !worker.isBusy else { return }
    if let request = registry.take() {
      worker.ask(.registry(request))
    } else if isReadingWanted {
      isReadingWanted = false
      worker.ask(.readConfiguration)
    }
  }

  /// At the end of the program: waits for what is under way, whose reply it hands over, and has the registry's file
  /// closed, so that its log is written back. What has not begun is dropped, since nobody was told that it is done.
  /// False when the disk did not answer before the deadline.
  mutating func close(
    before deadline: MonotonicInstant, _ take: (RegistryReply) -> Void
  ) -> Bool {
    (registry, isReadingWanted) = (nil, false)
    if worker.isBusy {
      guard let reply = awaitReply(until: deadline) else { return false }
      if case .registry(let reply) = reply { take(reply) }
    }
    worker.ask(.registry(.close))
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
  /// How long the end waits for the disk.
  private static let patienceSeconds = 5

  /// Hands the registry's reply to the agent, and logs what an operator has to know.
  mutating func receiveRegistryReply(_ reply: RegistryReply, _ loop: inout LoopContext) {
    logReply(reply, &loop)
    loop.agent.registryAnswered(reply, at: loop.now)
  }

  private mutating func logReply(_ reply: RegistryReply, _ loop: inout LoopContext) {
    let name = "the registry \(quoted(registryPath))"
    switch reply {
    case .opened(let registry):
      refusal = nil
      let count = registry.accessories.count
      loop.log.say(.info, "\(name) holds \(count) \(count == 1 ? "accessory" : "accessories")")
    case .reset(let kept):
      refusal = nil
      loop.log.say(
        .notice, "\(name) was begun anew" + (kept.map { "; what was there is kept as \(quoted($0))" } ?? ""))
    case .refused(let refusal):
      if self.refusal != refusal {
        let consequence = "no accessory can be added or removed until that is mended"
        loop.log.say(.error, "\(name) \(refusal.reason), so \(consequence): \(refusal.cure)")
      }
      self.refusal = refusal
    case .failed(let failure, _):
      loop.say(
        .error, "\(name) could not be changed: \(failure.reason); \(failure.cure)",
        limitedAs: .registryFailures)
    case .done, .closed: break
    }
  }

  /// Lets the disk finish its request, and closes the file. Returns whether the agent has received a reply.
  mutating func closeRegistry(_ loop: inout LoopContext) -> Bool {
    guard let deadline = try? MonotonicInstant.now().advanced(seconds: Self.patienceSeconds) else {
      return false
    }
    var replies: [RegistryReply] = []
    let isClosed = close(before: deadline) { replies.append($0) }
    for reply in replies { receiveRegistryReply(reply, &loop) }
    if !isClosed {
      loop.log.say(
        .warning,
        "the disk did not answer in \(Self.patienceSeconds) s, so the registry's file was left open: "
          + "what was said to be done is there, a change that was under way may be")
    }
    return !replies.isEmpty
  }
}
