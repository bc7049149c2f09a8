// SPDX-License-Identifier: GPL-3.0-or-later

import DBus

/// Has Avahi announce the gateway on the network, over the system bus. A pure state machine: bytes and the time, in
/// microseconds, go in; bytes to send and what Avahi says come out.
///
/// The announcement goes away with the connection. When Avahi or the bus starts again, it is made again.
public struct ServiceAnnouncement: Sendable {
  public enum Event: Equatable, Sendable {
    /// The gateway is announced under the name of this host, without its domain.
    case announced(host: String)
    /// Avahi does not run, or refuses: why.
    case notAnnounced(String)
  }

  private enum Step: Sendable {
    case hostName, group
    /// With the path of the group.
    case service(String), commit(String)
  }

  /// The reason of a connection that has ended.
  public static let closure = "the system bus has closed the connection"

  private static let avahi = "org.freedesktop.Avahi"
  private static let patience: Int64 = 10_000_000
  private static let firstPause: Int64 = 1_000_000
  private static let longestPause: Int64 = 60_000_000

  private var bus = Self.newConnection()
  /// Whether there is a connection to the bus.
  public private(set) var isConnected = false
  /// When the bus is tried again, and how long the pause after that is.
  private var attemptTime: Int64 = 0
  private var pause = Self.firstPause
  /// Why the gateway is not announced, as an event has said it.
  private var lastReason: String?
  private let port: UInt16
  private var records: [String]
  private var steps: [UInt32: Step] = [:]
  private var host = ""
  private var group: String?
  private var hasOwner = false

  public init(port: UInt16, records: [String]) {
    (self.port, self.records) = (port, records)
  }

  private static func newConnection() -> BusConnection {
    var bus = BusConnection(messageBytesMax: 1 << 16)
    bus.watchOwner(of: avahi)
    bus.match("type='signal',sender='\(avahi)',interface='\(avahi).Server',member='StateChanged'")
    return bus
  }

  /// The records of the gateway.
  public static func records(_ identity: GatewayIdentity, isEncrypted: Bool) -> [String] {
    [
      "mac=\(identity.addressDigits)", "version=\(GatewayIdentity.protocolVersion)",
      "friendly_name=\(identity.friendlyName)", "project_name=\(GatewayIdentity.projectName)",
      "project_version=\(identity.version)", "platform=linux", "network=ethernet",
    ] + (isEncrypted ? ["api_encryption=\(GatewayIdentity.encryption)"] : [])
  }

  public var unsent: [UInt8] { bus.unsent }
  public mutating func wasSent(_ count: Int) { bus.wasSent(count) }
  public var deadline: Int64? { isConnected ? bus.deadline : attemptTime }

  // MARK: - The connection

  /// Whether the bus is to be tried now.
  public func wantsConnection(at now: Int64) -> Bool { !isConnected && attemptTime <= now }

  /// The connection to the bus is there.
  public mutating func connected() { isConnected = true }

  /// The bus is not there, or its connection has ended: why. It is tried again after 1, 2, 4 … 60 s.
  public mutating func disconnected(_ reason: String, at now: Int64) -> [Event] {
    (bus, isConnected) = (Self.newConnection(), false)
    (hasOwner, group, steps) = (false, nil, [:])
    attemptTime = now + pause
    pause = min(2 * pause, Self.longestPause)
    return notAnnounced(reason)
  }

  /// Says it once for each reason.
  private mutating func notAnnounced(_ reason: String) -> [Event] {
    guard reason != lastReason else { return [] }
    lastReason = reason
    return [.notAnnounced(reason)]
  }

  // MARK: - Messages

  public mutating func receive(_ bytes: ArraySlice<UInt8>, at now: Int64) -> [Event] {
    handle(bus.receive(bytes), at: now)
  }

  public mutating func advance(to now: Int64) -> [Event] { handle(bus.advance(to: now), at: now) }

  /// Announces other records.
  public mutating func change(records: [String], at now: Int64) {
    guard records != self.records else { return }
    self.records = records
    announce(at: now)
  }

  private mutating func handle(_ events: [BusConnection.Event], at now: Int64) -> [Event] {
    events.flatMap { event -> [Event] in
      switch event {
      case .called: return []
      case .opened:
        pause = Self.firstPause
        return []
      case .owner(_, nil):
        (hasOwner, group, steps) = (false, nil, [:])
        return notAnnounced("avahi-daemon does not run")
      case .owner:
        hasOwner = true
        announce(at: now)
        return []
      case .signal(let message):
        // 2 is running: before, another host had the name. A group has a signal of this name, too.
        guard message.member == "StateChanged", message.interface == "\(Self.avahi).Server",
          let values = try? message.arguments("is"), values[0].number == 2
        else { return [] }
        announce(at: now)
        return []
      case .reply(let serial, let message):
        guard let step = steps.removeValue(forKey: serial) else { return [] }
        return advance(step, message, at: now)
      case .closed: return disconnected(Self.closure, at: now)
      }
    }
  }

  private mutating func announce(at now: Int64) {
    guard hasOwner else { return }
    steps = [:]
    if let group { _ = call("Free", "EntryGroup", of: group, [], at: now) }
    group = nil
    ask(.hostName, "GetHostName", "Server", of: "/", at: now)
  }

  private mutating func advance(_ step: Step, _ message: BusMessage, at now: Int64) -> [Event] {
    do throws(BusError) {
      switch step {
      case .hostName:
        host = try message.arguments("s")[0].string ?? ""
        ask(.group, "EntryGroupNew", "Server", of: "/", at: now)
      case .group:
        let path = try message.arguments("o")[0].objectPath ?? "/"
        group = path
        let any = UInt64(bitPattern: -1)
        ask(
          .service(path), "AddService", "EntryGroup", of: path,
          [
            .number("i", any), .number("i", any), .uint32(0), .string(host), .string("_esphomelib._tcp"),
            .string(""), .string(""), .number("q", UInt64(port)),
            .array(of: "ay", records.map { .bytes(Array($0.utf8)) }),
          ], at: now)
      case .service(let path):
        _ = try message.arguments("")
        ask(.commit(path), "Commit", "EntryGroup", of: path, at: now)
      case .commit:
        _ = try message.arguments("")
        lastReason = nil
        return [.announced(host: host)]
      }
      return []
    } catch {
      return notAnnounced("avahi-daemon refuses: \(message.errorText)")
    }
  }

  private mutating func ask(
    _ step: Step, _ member: String, _ interface: String, of path: String, _ arguments: [BusValue] = [],
    at now: Int64
  ) {
    if let serial = call(member, interface, of: path, arguments, at: now) { steps[serial] = step }
  }

  private mutating func call(
    _ member: String, _ interface: String, of path: String, _ arguments: [BusValue], at now: Int64
  ) -> UInt32? {
    bus.call(
      .call(member, "\(Self.avahi).\(interface)", of: path, at: Self.avahi, arguments),
      until: now + Self.patience)
  }
}
