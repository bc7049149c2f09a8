// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest

// What the agent wants done.

extension AgentLoop {
  /// So many findings of a refused manifest are logged; the others are counted.
  private static let findingsMax = 20

  mutating func perform() {
    while let action = agent.nextAction() {
      switch action {
      case .send(let command): send(command)
      case .close(let id): close(id)
      case .readManifest:
        manager.reloading()
        disk.readConfiguration()
      case .manage(let command): manage(command)
      case .openRadio(let selection, let access): openRadio(selection, access)
      case .releaseRadio(let reason): lose(.gone(reason))
      case .mend(let rung): mend(rung)
      case .registry(let request): disk.ask(request)
      case .signalTouch(let signal): self.signal(signal)
      case .log(let notice): log(notice)
      }
    }
  }

  private mutating func log(_ notice: Notice) {
    var sentence = notice.sentence
    // A program that speaks something else does not respond to commands.
    if case .bringupFailed = notice, case .h4? = radio.wanted?.selection {
      sentence += "; \(RadioOpening.Failure.h4Cure)"
    }
    say(notice.level, sentence, limitedAs: notice.strangerKind)
  }

  /// A line that may be one of many.
  mutating func say(_ level: LogLevel, _ sentence: String, limitedAs kind: StrangerKind?) {
    var sentence = sentence
    if let kind {
      guard let held = limiter.admit(kind, at: now) else { return }
      if held > 0 { sentence += " (and \(held) more like this since the last such line)" }
    }
    log.say(level, sentence)
  }

  /// The disk worker has read the manifest.
  mutating func take(_ reading: Result<ConfigurationReader.Result, StartFailure>) {
    switch reading {
    case .success(let result):
      for warning in result.warnings { log.say(.warning, warning) }
      touch.path = result.configuration.manifest.gateway.onTouch
      makeRoom(for: result.configuration.manifest.gateway.limits)
      agent.manifestWasRead(
        .accepted(result.configuration, radioSource: result.radioSource, warnings: result.warnings), at: now)
      radio.schedule.intervalMilliseconds = agent.drainIntervalMilliseconds
    case .failure(let failure):
      let findings = failure.findings
      for finding in findings.prefix(Self.findingsMax) { log.say(.error, finding) }
      if findings.count > Self.findingsMax {
        log.say(.error, "and \(findings.count - Self.findingsMax) more")
      }
      agent.manifestWasRead(.refused(findings: findings), at: now)
    }
    hasReloaded = true
  }

  /// Another manifest may allow more connections.
  private mutating func makeRoom(for limits: Limits) {
    watches.grow(to: Int(limits.connections) + Self.ownWatches)
    if let sentence = DescriptorLimit.raise(connections: Int(limits.connections)) {
      log.say(.warning, sentence)
    }
  }

  mutating func tellManager() {
    let count = agent.clientCount
    manager.say("radio \(agent.radioState.rawValue), \(count) \(count == 1 ? "client" : "clients")")
    if radio.wasTried { manager.ready(at: now) }
    if hasReloaded { manager.reloaded() }
    hasReloaded = false
    manager.turned(at: now)
  }
}
