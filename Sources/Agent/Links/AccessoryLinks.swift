// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
package import Interfaces
import Registry
import Setup

/// The connections of apps to their accessories: made, and ended when the app may not have them any longer.
///
/// Pure: calls, what the shell's sockets and the kernel report, and the time go in; each input leaves actions in
/// ``takeOutput()``. An app owns the socket of its connection, and the agent keeps no copy: so the kernel ends the link
/// as soon as the app closes it or crashes, and reports the end. To end a link itself, the agent asks the kernel.
///
/// There is one connection for each device, because the kernel has one ATT channel for each link. It is the kernel that
/// refuses a second one, so that an app which has closed its socket can connect again while the link still lingers.
///
/// Capacity: ``countMax`` connections, those that are being made included, of which each app has its share
/// (``PlaceShares``); a further one is refused and counted.
package struct AccessoryLinks: ~Copyable, Sendable {
  package static let countMax = 32
  /// How long the device may take to be heard and connected. The kernel's own limit is 40 s.
  static let connectMilliseconds: Int64 = 30_000

  package struct Link: Equatable, Sendable {
    enum State: Equatable, Sendable {
      case connecting(until: Instant)
      case connected(since: Instant)
      /// The kernel was asked to end it.
      case ending(LinkEnd, since: Instant)
    }

    let id: LinkID
    let accessory: RandomIdentifier
    let app: String
    let session: RandomIdentifier
    let displayName: String
    package let address: DeviceAddress
    /// The address by which the registry knew the device.
    let identity: DeviceAddress?
    fileprivate(set) var state: State

    package var isConnecting: Bool { if case .connecting = state { true } else { false } }

    /// Since when the app has it; nil while it is being made.
    var start: Instant? {
      switch state {
      case .connecting: nil
      case .connected(let since), .ending(_, let since): since
      }
    }
  }

  package private(set) var links: [Link] = []
  private(set) var counters = LinkCounters()
  /// Why attempts have failed, until their calls have replied.
  private var failures: [LinkID: SetupError] = [:]
  var commands = LinkCommandQueue()
  private var lastNumber: UInt64 = 0
  /// The devices that were connected when the radio was closed, the last ``countMax`` of them.
  private var lost: [DeviceAddress] = []
  private var output: [LinkAction] = []

  /// Removes and returns what the inputs since the last call have caused, in order.
  mutating func takeOutput() -> [LinkAction] {
    defer { output.removeAll() }
    return output + commands.takeOutput().map { .manage($0) }
  }

  /// When ``advance(to:)`` is due.
  var deadline: Instant? {
    // Every turn of the agent asks: without an array nothing is allocated.
    var due = commands.deadline
    for link in links {
      if case .connecting(let end) = link.state { due = .earliest(due, end) }
    }
    return due
  }

  /// How many accessories are connected.
  var connectedCount: Int { links.count { !$0.isConnecting } }

  /// The connection of an accessory to its app, made or being made.
  func link(of accessory: RandomIdentifier) -> Link? {
    let own = links.filter { $0.accessory == accessory }
    return own.first { !$0.isConnecting } ?? own.first
  }
}

// MARK: - Making connections

extension AccessoryLinks {
  /// Begins to connect a session's app to its accessory.
  mutating func connect(
    _ accessory: RegistryAccessory, _ device: RegistryDevice, for session: Session, _ target: LinkTarget,
    appCount: Int, at now: Instant
  ) throws(SetupError) -> LinkID {
    for link in links where link.address == target.address {
      switch link.state {
      // The program may have given its first call up, whose connection's end is not known yet.
      case .connecting where link.session == session.token: fail(link, .wasReplaced, .abandoned)
      case .connecting: throw refuse(.isInUse)
      case .ending: throw refuse(.isEnding)
      case .connected: break
      }
    }
    guard
      PlaceShares.admit(session.app, among: links.map(\.app), appCount: appCount, capacity: Self.countMax)
    else { throw refuse(.tooManyLinks) }
    lastNumber += 1
    let id = LinkID(number: lastNumber)
    let end = now.advanced(milliseconds: Self.connectMilliseconds)
    links.append(
      Link(
        id: id, accessory: accessory.identifier, app: session.app, session: session.token,
        displayName: device.displayName, address: target.address, identity: device.identity.address,
        state: .connecting(until: end)))
    output.append(.open(LinkRequest(id: id, target: target)))
    return id
  }

  private mutating func refuse(_ error: SetupError) -> SetupError {
    counters.failures[.inUse, default: 0] &+= 1
    return error
  }

  /// The shell's socket is connected. It stays the shell's until the reply to the app carries it.
  mutating func opened(_ id: LinkID, at now: Instant) {
    guard let index = links.firstIndex(where: { $0.id == id }), links[index].isConnecting else {
      return output.append(.close(id))
    }
    // The kernel has one ATT channel for each link: the connection before this one was closed.
    let earlier = links.first { $0.address == links[index].address && !$0.isConnecting }
    links[index].state = .connected(since: now)
    let link = links[index]
    if let earlier { end(earlier, .app) }
    counters.made &+= 1
    output.append(.connected(link))
  }

  /// The shell's socket was not connected, and is closed. `isDoubtful`: the kernel may lack the keys of the bond, so that
  /// their refusal says nothing about it.
  mutating func failed(_ id: LinkID, _ error: LinkError, isDoubtful: Bool = false, at now: Instant) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    switch error {
    case .isUnsafe:
      // Otherwise the kernel would pair by itself.
      commands.disconnect(link.address, at: now)
      output.append(.bondWasRefused(link.address))
    case .bondRefused: output.append(.bondWasRefused(link.address))
    case .busy, .broken, .exhausted, .refused: break
    }
    guard link.isConnecting else { return }
    fail(
      link, isDoubtful ? .keysAreUnsettled : .of(error, link.accessory), error.failure, isClosed: true)
  }

  /// The client left before it received the socket.
  mutating func abandon(_ id: LinkID) {
    failures[id] = nil
    guard let link = links.first(where: { $0.id == id }) else { return }
    // The kernel ends a link that was connected already when its socket is closed.
    guard link.isConnecting else { return output.append(.close(id)) }
    fail(link, .wasReplaced, .abandoned)
    failures[id] = nil
  }

  /// Returns the state of an attempt; nil while the device has yet to be connected.
  func outcome(of id: LinkID) -> Result<Void, SetupError>? {
    if let failure = failures[id] { return .failure(failure) }
    guard let link = links.first(where: { $0.id == id }) else { return .failure(.linkIsLost) }
    return link.isConnecting ? nil : .success(())
  }

  /// Forgets an attempt whose call has its reply.
  mutating func forget(_ id: LinkID) { failures[id] = nil }

  /// Ends the attempts that take too long, and asks the kernel again.
  mutating func advance(to now: Instant) {
    for link in links {
      guard case .connecting(let end) = link.state, end <= now else { continue }
      fail(link, .isOutOfReach, .timeout)
    }
    commands.advance(to: now)
  }

  private mutating func fail(
    _ link: Link, _ error: SetupError, _ failure: LinkErrorKind, isClosed: Bool = false
  ) {
    links.removeAll { $0.id == link.id }
    failures[link.id] = error
    counters.failures[failure, default: 0] &+= 1
    if !isClosed { output.append(.close(link.id)) }
    if failure != .abandoned { output.append(.failed(link, failure)) }
  }
}

// MARK: - Ending connections

extension AccessoryLinks {
  /// Ends the connections that are meant.
  mutating func end(_ end: LinkEnd, at now: Instant, where isMeant: (Link) -> Bool) {
    for link in links where isMeant(link) {
      switch link.state {
      case .connecting: fail(link, .of(end), .abandoned)
      case .connected(let since):
        if let index = links.firstIndex(where: { $0.id == link.id }) {
          links[index].state = .ending(end, since: since)
        }
        commands.disconnect(link.address, at: now)
      case .ending: break
      }
    }
  }

  /// Opens an adapter. What was connected with the radio before counts as ended, and is ended if the kernel still has it.
  mutating func open(adapter index: UInt16, at now: Instant) {
    close()
    commands.adapter = index
    for address in lost { commands.disconnect(address, at: now) }
    lost = []
  }

  /// The radio is gone, and every connection with it.
  mutating func close() {
    for link in links {
      guard !link.isConnecting else {
        fail(link, .radioIsGone, .radio)
        continue
      }
      lost.append(link.address)
      end(link, .radio)
    }
    lost = Array(lost.suffix(Self.countMax))
    commands.close()
  }

  /// Receives an event of the kernel's management interface.
  mutating func receive(_ event: MgmtEvent, at now: Instant) {
    guard let index = commands.adapter, event.index == index else { return }
    switch event.content {
    case .disconnected(let address, let reason):
      // Only of a link that the agent is making is it known that the level it asks for is one that the keys give: an app
      // with a link, and any other program, may ask for more, and fail.
      if reason == .authenticationFailed, links.contains(where: { $0.address == address && $0.isConnecting })
      {
        output.append(.bondWasRefused(address))
      }
      linkEnded(address, LinkEnd(reason))
    case .removed: close()
    case .completed(let opcode, let status, let returned):
      if let address = commands.receiveReply(opcode, status, returned, at: now) { linkEnded(address, .app) }
    case .added, .settings, .discovering, .monitorRemoved, .bond, .other: break
    }
  }

  /// The commands that end every connection, for the agent's end.
  var endingCommands: [MgmtCommand] {
    guard let index = commands.adapter else { return [] }
    return links.filter { !$0.isConnecting }.map { .disconnect($0.address, index) }
  }

  /// The link to a device is gone. An attempt that began meanwhile learns it from its socket.
  private mutating func linkEnded(_ address: DeviceAddress, _ reason: LinkEnd) {
    commands.linkEnded(address)
    guard let link = links.first(where: { $0.address == address && !$0.isConnecting }) else { return }
    if case .ending(let end, _) = link.state { self.end(link, end) } else { end(link, reason) }
  }

  private mutating func end(_ link: Link, _ end: LinkEnd) {
    links.removeAll { $0.id == link.id }
    counters.ends[end, default: 0] &+= 1
    output.append(.ended(link, end))
  }
}
