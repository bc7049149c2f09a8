// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Registry

// What the disk worker was asked, and the registry's end.

extension AgentLoop {
  /// How long the end waits for the disk.
  private static let patienceSeconds = 5

  mutating func takeDiskReply() {
    switch disk.takeReply() {
    case nil: break
    case .configuration(let reading): take(reading)
    case .registry(let reply): take(reply)
    }
  }

  private mutating func take(_ reply: RegistryReply) {
    tell(of: reply)
    agent.registryAnswered(reply, at: now)
  }

  /// What an operator has to know of the registry.
  private mutating func tell(of reply: RegistryReply) {
    let name = "the registry \(quoted(disk.registryPath))"
    switch reply {
    case .opened(let registry):
      disk.refusal = nil
      let count = registry.accessories.count
      log.say(.info, "\(name) holds \(count) \(count == 1 ? "accessory" : "accessories")")
    case .reset(let kept):
      disk.refusal = nil
      log.say(
        .notice, "\(name) was begun anew" + (kept.map { "; what was there is kept as \(quoted($0))" } ?? ""))
    case .refused(let refusal):
      if disk.refusal != refusal {
        let consequence = "no accessory can be added or removed until that is mended"
        log.say(.error, "\(name) \(refusal.reason), so \(consequence): \(refusal.cure)")
      }
      disk.refusal = refusal
    case .failed(let failure, _):
      say(
        .error, "\(name) could not be changed: \(failure.reason); \(failure.cure)",
        limitedAs: .registryFailures)
    case .done, .closed: break
    }
  }

  /// Lets the disk finish what it does, so that who waits for it is told, and closes the file.
  mutating func closeRegistry() {
    guard let deadline = try? MonotonicInstant.now().advanced(seconds: Self.patienceSeconds) else { return }
    var replies: [RegistryReply] = []
    let isClosed = disk.close(before: deadline) { replies.append($0) }
    for reply in replies { take(reply) }
    if !replies.isEmpty { agent.turn(at: now, radioLead: radio.source?.lead(at: now) ?? 0) }
    guard !isClosed else { return }
    log.say(
      .warning,
      "the disk did not answer in \(Self.patienceSeconds) s, so the registry's file was left open: "
        + "what was said to be done is there, a change that was under way may be")
  }
}
