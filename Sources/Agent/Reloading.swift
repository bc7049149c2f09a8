// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import JSON
import Manifest
import Setup
import Varlink

/// What came of reading the manifest again.
public enum ManifestReading: Sendable {
  /// `warnings` are lines as `accessoryctl check` prints them.
  case accepted(AgentCore.Configuration, radioSource: String, warnings: [String])
  /// `findings` too.
  case refused(findings: [String])
}

/// Who waits for which reading of the manifest. One is going on at most; who asks meanwhile waits for the next one,
/// since the file may have changed after it was read.
struct Reloading: Sendable {
  private enum State: Sendable {
    case idle
    case reading(waiting: [ClientID], then: [ClientID]?)
  }

  private var state = State.idle

  /// Whether reading begins now. Without a client, a signal asked.
  mutating func request(for client: ClientID?) -> Bool {
    let asking = client.map { [$0] } ?? []
    switch state {
    case .idle:
      state = .reading(waiting: asking, then: nil)
      return true
    case .reading(let waiting, let next):
      state = .reading(waiting: waiting, then: (next ?? []) + asking)
      return false
    }
  }

  /// The reading is done: who waited for it, and whether the next one begins.
  mutating func finish() -> (waiting: [ClientID], readsAgain: Bool) {
    guard case .reading(let waiting, let next) = state else {
      preconditionFailure("the manifest was read, and nobody had asked")
    }
    state = next.map { .reading(waiting: $0, then: nil) } ?? .idle
    return (waiting, next != nil)
  }
}

extension AgentCore {
  /// Asks for a reading on nobody's behalf: the service manager's or a person's signal came.
  public func readManifestAgain(at time: Instant) {
    now = max(now, time)
    if reloading.request(for: nil) { perform(.readManifest) }
  }

  /// The manifest was read, as ``Action/readManifest`` asked: all of it takes effect, or nothing.
  public func manifestWasRead(_ reading: ManifestReading, at time: Instant) {
    now = max(now, time)
    let message =
      switch reading {
      case .accepted(let configuration, let source, let warnings):
        adopt(configuration, source, warnings)
      case .refused(let findings): refuseReload(findings)
      }
    let (waiting, readsAgain) = reloading.finish()
    for client in waiting {
      guard let place = clients.place(of: client) else { continue }
      clients.places[place]?.activity = .none
      clients.places[place]?.connection.reply(message)
    }
    if readsAgain { perform(.readManifest) }
  }

  private func refuseReload(_ findings: [String]) -> [UInt8] {
    tally.reloadsRefused &+= 1
    lastFindings = findings.prefix(3).map { $0 }
    perform(.log(.reloadRefused(findings: findings.count)))
    return GatewayError.manifestRefused(findings: findings).message
  }

  private func adopt(_ new: Configuration, _ source: String, _ warnings: [String]) -> [UInt8] {
    let old = configuration.manifest.gateway
    let gateway = new.manifest.gateway
    // What apps brought is no item of the manifest.
    let summary = ReloadSummary(from: configuration.manifest.items, to: new.manifest.items)
    // What kept the radio away may have been mended with the manifest.
    let restartsRadio =
      gateway.radio != old.radio || gateway.access != old.access || radio.state == .absent
    configuration = new
    setupCore.configure(new.setup)
    appSuppliedItems = setupCore.appSuppliedItems
    dataPath.reload(
      effectiveManifest, identities: new.identities, adapterOffset: new.board.rssiOffset ?? 0, at: radioTime)
    radioSource = source
    clients.resize(gateway.limits)
    clients.judgeAnew(new.access)
    tally.reloads &+= 1
    lastFindings = []
    if restartsRadio {
      radio.vanish("it is being opened", at: now)
      perform(.openRadio(gateway.radio, access: gateway.access))
    }
    radio.hasBoardStep = new.board.asksForRecovery
    radio.follow(scanPlan, at: now)
    followRadio(at: now)
    perform(.log(.reloaded(summary, warnings: warnings.count)))
    return Message.reply { json in
      json.member("itemsKept", summary.itemsKept)
      json.member("itemsAdded", summary.itemsAdded)
      json.member("itemsRemoved", summary.itemsRemoved)
      json.member("radioRestarted", restartsRadio)
      json.member("warnings", warnings.prefix(50).map(GatewayError.cut))
    }
  }
}
