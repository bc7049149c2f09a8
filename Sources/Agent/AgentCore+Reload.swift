// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces
import Manifest
import Setup
import Varlink

/// The result of reading the manifest again.
public enum ManifestReading: Sendable {
  /// `warnings` are lines as `accessoryctl check` prints them.
  case accepted(AgentCore.Configuration, radioSource: String, warnings: [String])
  /// `findings` are such lines too.
  case refused(findings: [String])
}

/// The readings of the manifest: which clients wait for one, and why the last was refused.
///
/// At most one reading is going on. A client that asks meanwhile waits for the next one, because the file may have
/// changed after it was read.
struct ManifestReload: Sendable {
  private enum State: Sendable {
    case idle
    case reading(waiting: [ClientID], then: [ClientID]?)
  }

  private static let keptFindingsMax = 3

  private var state = State.idle
  /// Why the last reading was refused; empty when it was accepted.
  private(set) var lastFindings: [String] = []

  /// Returns whether reading begins now. Without a client, a signal asked.
  mutating func request(by client: ClientID?) -> Bool {
    let clients = client.map { [$0] } ?? []
    switch state {
    case .idle:
      state = .reading(waiting: clients, then: nil)
      return true
    case .reading(let waiting, let next):
      state = .reading(waiting: waiting, then: (next ?? []) + clients)
      return false
    }
  }

  /// Ends a reading. Returns the clients that waited for it, and whether the next one begins.
  mutating func finish(findings: [String]) -> (waiting: [ClientID], readsAgain: Bool) {
    guard case .reading(let waiting, let next) = state else {
      preconditionFailure("the manifest was read, and no client or signal had asked")
    }
    lastFindings = Array(findings.prefix(Self.keptFindingsMax))
    state = next.map { .reading(waiting: $0, then: nil) } ?? .idle
    return (waiting, next != nil)
  }
}

extension AgentCore {
  /// Reads the manifest again for a signal, from the service manager or an operator.
  public func readManifestAgain(at time: Instant) {
    turn.advance(to: time)
    requestReload(by: nil)
  }

  /// `Reload`: the manifest is read again, and takes effect as a whole or not at all.
  func requestReload(by client: ClientID?) {
    if reload.request(by: client) { enqueue(.readManifest) }
  }

  /// The manifest was read, as ``Action/readManifest`` asked: all of it takes effect, or nothing.
  public func manifestWasRead(_ reading: ManifestReading, at time: Instant) {
    turn.advance(to: time)
    turn.outlook.isOld = true
    let message: [UInt8]
    var findings: [String] = []
    switch reading {
    case .accepted(var configuration, let radioSource, let warnings):
      configuration.radioSource = radioSource
      message = adopt(configuration, warnings)
    case .refused(let refused):
      findings = refused
      message = refuseManifest(findings)
    }
    let (waiting, readsAgain) = reload.finish(findings: findings)
    for client in waiting { clients[client]?.endCall(with: message) }
    if readsAgain { enqueue(.readManifest) }
  }

  private func refuseManifest(_ findings: [String]) -> [UInt8] {
    counters.reloadsRefused &+= 1
    enqueue(.log(.reloadRefused(findings: findings.count)))
    return GatewayError.manifestRefused(findings: findings).message
  }

  private func adopt(_ read: Configuration, _ warnings: [String]) -> [UInt8] {
    var new = read
    _ = new.follow(isUSB: configuration.isUSB)
    let old = configuration.manifest.gateway
    let gateway = new.manifest.gateway
    // Items that apps supply are not the manifest's.
    let summary = ReloadSummary(from: configuration.manifest.items, to: new.manifest.items)
    // A radio that was absent may be there with this manifest.
    let restartsRadio =
      gateway.radio != old.radio || gateway.access != old.access || gateway.power != old.power
      || radio.state == .absent
    configuration = new
    follow(setupCore.advance(to: now))
    follow(setupCore.configure(new.setup))
    setupLink.appSuppliedItems = setupCore.appSuppliedItems
    filter.isAllowed = gateway.filter == .on
    followItems()
    clients.resize(gateway.limits)
    for client in clients.updateRights(new.access) {
      client.stream?.release(self)
      client.endCall(with: Message.error(ServiceError.bridgeChanged))
    }
    followReportWants()
    counters.reloads &+= 1
    if restartsRadio {
      updateRadio { $0.endScan(at: now) }
      radio.close("it is being opened", at: now)
      updatePairing { $0.giveUpAdapter(at: now) }
      enqueue(.openRadio(gateway.radio, access: gateway.access))
    }
    followScanPlan()
    enqueue(.log(.reloaded(summary, warnings: warnings.count)))
    let reply = ReloadReply(
      itemsKept: summary.itemsKept, itemsAdded: summary.itemsAdded, itemsRemoved: summary.itemsRemoved,
      hasRestartedRadio: restartsRadio, warnings: warnings.prefix(50).map(GatewayError.cut),
      manifestDigest: new.manifestDigest)
    return Message.reply { reply.writeMembers(to: &$0) }
  }
}
