// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Controller
import Discovery
import Interfaces
import Manifest
import Registry
import Setup

// Connects the connections of apps to sessions, radio, clients and log.

extension AgentCore {
  /// The most sockets that the shell has at a time.
  public static let linksMax = AccessoryLinks.countMax

  // MARK: - What the shell reports

  /// The socket is connected. The shell keeps it until ``socketToPass(to:)`` names it, or until ``Action/closeLink(_:)``.
  public func linkOpened(_ id: LinkID, at time: Instant) {
    turn.advance(to: time)
    updateLinks { $0.opened(id, at: now) }
  }

  /// The socket was not connected, and the shell has closed it.
  public func linkFailed(_ id: LinkID, _ error: LinkError, at time: Instant) {
    turn.advance(to: time)
    let isDoubtful = isDoubtful(error, of: id)
    updateLinks { $0.failed(id, error, isDoubtful: isDoubtful, at: now) }
  }

  /// Whether the kernel may lack the keys that were refused, because another program keeps them.
  private func isDoubtful(_ error: LinkError, of id: LinkID) -> Bool {
    guard error.failure == .bond, let link = links.links.first(where: { $0.id == id }) else { return false }
    return isRefusalCredible(from: link.address) == false
  }

  // MARK: - Calls

  /// Begins to connect a session's app to its accessory.
  func connect(_ accessory: RegistryAccessory, for session: Session) throws(SetupError) -> LinkID {
    let device = try setupCore.requireBluetooth(accessory, for: session)
    try requireConnectingAdapter()
    let security = try security(of: accessory, on: device)
    let target = LinkTarget(
      address: try currentAddress(of: device), adapterAddress: radio.shared.address, security: security)
    return try updateLinks { (links) throws(SetupError) in
      try links.connect(
        accessory, device, for: session, target, appCount: configuration.manifest.apps.count,
        at: now)
    }
  }

  /// How safe the link has to be. An accessory whose bond is lost is not connected: the kernel would pair by itself.
  private func security(
    of accessory: RegistryAccessory, on device: RegistryDevice
  ) throws(SetupError) -> LinkSecurity {
    if setupCore.lacksAuthenticatedBond(device) { throw .bondIsNotAuthenticated }
    switch device.bond {
    case .none: return .none
    case .bonded(let record):
      if let address = device.identity.address, let absence = pairing.keyAbsence(of: address, record.owner) {
        throw .keysAreAbsent(absence)
      }
      return LinkSecurity(record, demandsAuthentication: setupCore.demandsAuthenticatedBond(device))
    case .lost: throw .bondIsLost(accessory.identifier)
    }
  }

  /// The address that a registered device has now: a device that changes it is where it was heard last. The kernel
  /// knows one with a bond, even a lost one, by its identity.
  func currentAddress(of device: RegistryDevice) throws(SetupError) -> DeviceAddress {
    guard let identity = device.identity.address else { throw .noSession }
    guard device.bond == .none, let row = dataPath.row(of: device) else { return identity.settled }
    return (dataPath.pipeline.device(at: row)?.address ?? identity).settled
  }

  private func requireConnectingAdapter() throws(SetupError) {
    switch configuration.manifest.gateway.radio {
    case .btsnoop, .h4: throw .radioIsNoAdapter
    case .any, .index, .address: break
    }
    guard configuration.manifest.gateway.access == .shared else { throw .accessIsExclusive }
    if radio.link == .listener { throw .agentMayNotDisconnect }
    guard radio.link == .shared, radio.state == .on || radio.state == .off else {
      throw .radioIsDown(radio.detail)
    }
  }

  // MARK: - Time and rights

  /// Lets time pass for connections.
  func advanceLinks() {
    guard !links.links.isEmpty || links.deadline != nil else { return }
    updateLinks { $0.advance(to: now) }
  }

  /// Ends the connections of sessions that are over, of accessories that their apps may not use any longer, and of those
  /// whose bonds no longer satisfy the manifest.
  func endLinksWithoutGrant() {
    guard !links.links.isEmpty else { return }
    updateLinks { links in
      let registry = setupCore.registry
      links.end(.removed, at: now) { link in
        let device = registry.accessory(link.accessory).map { registry.device(of: $0) }
        return !setupCore.isUsable(link.accessory, by: link.session)
          || device?.identity.address != link.identity
      }
      links.end(.unauthenticated, at: now) { link in
        let device = registry.accessory(link.accessory).map { registry.device(of: $0) }
        return device.map { setupCore.lacksAuthenticatedBond($0) } ?? false
      }
      links.end(.session, at: now) { !setupCore.isOpen($0.session) }
    }
  }

  // MARK: - Effects

  /// Gives connections an input, and performs what it causes.
  func updateLinks<Result, Failure>(
    _ input: (inout AccessoryLinks) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    turn.outlook.isOld = true
    defer { performLinkActions() }
    return try input(&links)
  }

  private func performLinkActions() {
    for action in links.takeOutput() {
      switch action {
      case .open(let request): enqueue(.openLink(request))
      case .close(let id): enqueue(.closeLink(id))
      case .manage(let command): enqueue(.manage(command))
      case .bondWasRefused(let identity): bondWasRefused(identity)
      case .connected(let link):
        feeds.conditions.append(.connection(ConnectionLine(link, at: now)))
        enqueue(.log(.link(.connected(app: link.app, link.accessory))))
      case .failed(let link, let failure):
        enqueue(.log(.link(.failed(app: link.app, link.accessory, failure))))
      case .ended(let link, let end):
        let line = ConnectionLine(link, at: now, end)
        feeds.conditions.append(.connection(line))
        let seconds = (line.duration?.microseconds ?? 0) / 1_000_000
        enqueue(.log(.link(.ended(app: link.app, link.accessory, end, seconds: seconds))))
      }
      // Calls may wait for it.
      turn.isBusy = true
    }
  }
}

extension ConnectionLine {
  fileprivate init(_ link: AccessoryLinks.Link, at now: Instant, _ end: LinkEnd? = nil) {
    let duration = link.start.map { Seconds(microseconds: now.microseconds &- $0.microseconds) }
    self.init(
      time: Seconds(microseconds: now.microseconds), event: end == nil ? .connected : .disconnected,
      app: link.app, accessory: link.accessory.text,
      displayName: link.displayName, address: link.address, end: end,
      duration: end == nil ? nil : duration)
  }
}
