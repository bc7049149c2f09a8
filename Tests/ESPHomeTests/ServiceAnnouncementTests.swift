// SPDX-License-Identifier: GPL-3.0-or-later

import BusSupport
@testable import DBus
import ESPHome
import Testing

/// An announcement with a bus and an Avahi that reply to everything.
private struct AvahiHarness {
  static let owner = ":1.2"
  private static let chunk = Array("OK 00ff\r\n".utf8)

  private(set) var announcement = ServiceAnnouncement(port: 6053, records: ["mac=0200000000aa"])
  /// The members of Avahi that were called.
  private(set) var calls: [String] = []
  private(set) var events: [ServiceAnnouncement.Event] = []
  private var groupCount = 0

  init() throws { try connect() }

  /// The bus accepts a connection.
  mutating func connect() throws {
    calls = []
    announcement.connected()
    announcement.wasSent(announcement.unsent.count)
    events += announcement.receive(Self.chunk[...], at: 0)
    try replyToAll()
  }

  mutating func disconnect(_ reason: String, at now: Int64) {
    events += announcement.disconnected(reason, at: now)
  }

  private mutating func replyToAll() throws {
    while case let sent = announcement.unsent, !sent.isEmpty {
      announcement.wasSent(sent.count)
      var rest = sent.starts(with: Array("BEGIN\r\n".utf8)) ? sent.dropFirst(7) : sent[...]
      while let count = try BusMessage.byteCount(of: Array(rest.prefix(16)), atMost: .max) {
        let call = try BusMessage(parsing: Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
        events += announcement.receive(reply(to: call)[...], at: 0)
      }
    }
  }

  private mutating func reply(to call: BusMessage) -> [UInt8] {
    let member = call.member ?? ""
    if call.interface != "org.freedesktop.DBus" { calls.append(member) }
    groupCount += member == "EntryGroupNew" ? 1 : 0
    let (signature, text): (String, String?) =
      switch member {
      case "Hello": ("s", ":1.7")
      case "GetNameOwner": ("s", Self.owner)
      case "GetHostName": ("s", "gateway")
      case "EntryGroupNew": ("o", "/Client0/EntryGroup\(groupCount)")
      default: ("", nil)
      }
    let fields: [BusField] = [.replySerial(UInt64(call.serial)), .sender(Self.owner), .signature(signature)]
    return BusBytes.message(.reply, serial: 9, text == nil ? Array(fields.dropLast()) : fields) { body in
      if let text { body.string(text) }
    }
  }

  /// The signal StateChanged of the server, or of a group.
  mutating func changeState(of interface: String, at path: String, to state: UInt64) throws {
    calls = []
    let fields: [BusField] = [
      .path(path), .interface("org.freedesktop.Avahi.\(interface)"), .member("StateChanged"),
      .sender(Self.owner), .signature("is"),
    ]
    let signal = BusBytes.message(.signal, serial: 9, fields) { body in
      body.number(state, 4)
      body.string("")
    }
    events += announcement.receive(signal[...], at: 0)
    try replyToAll()
  }
}

@Suite("The announcement on the network")
struct ServiceAnnouncementTests {
  private static let steps = ["GetHostName", "EntryGroupNew", "AddService", "Commit"]

  @Test("Avahi announces the gateway under the name of the host")
  func announces() throws {
    let avahi = try AvahiHarness()
    #expect(avahi.calls == Self.steps)
    #expect(avahi.events == [.announced(host: "gateway")])
  }

  @Test(
    "Once it is announced, it is announced again only when the host has another name", arguments: [0, 1, 2])
  func staysAnnounced(state: UInt64) throws {
    var avahi = try AvahiHarness()
    try avahi.changeState(of: "EntryGroup", at: "/Client0/EntryGroup1", to: state)
    #expect(avahi.calls == [])
    try avahi.changeState(of: "Server", at: "/", to: state)
    #expect(avahi.calls == (state == 2 ? ["Free"] + Self.steps : []))
    #expect(avahi.events.count == (state == 2 ? 2 : 1))
  }

  @Test(
    "A bus that closes or is not there is tried again after 1 to 60 s, and the gateway is announced again")
  func busRestarts() throws {
    var avahi = try AvahiHarness()
    avahi.disconnect(ServiceAnnouncement.closure, at: 0)
    var now: Int64 = 0
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] as [Int64] {
      #expect(!avahi.announcement.isConnected && avahi.announcement.deadline == now + pause * 1_000_000)
      #expect(!avahi.announcement.wantsConnection(at: now))
      now += pause * 1_000_000
      #expect(avahi.announcement.wantsConnection(at: now))
      avahi.disconnect("there is no system bus", at: now)
    }
    // Each reason is said once.
    #expect(
      avahi.events.dropFirst() == [
        .notAnnounced(ServiceAnnouncement.closure), .notAnnounced("there is no system bus"),
      ])
    try avahi.connect()
    #expect(avahi.calls == Self.steps && avahi.events.last == .announced(host: "gateway"))
    avahi.disconnect(ServiceAnnouncement.closure, at: now)
    #expect(avahi.announcement.deadline == now + 1_000_000)
  }

  @Test("A bus that is no bus is left, and tried again")
  func malformedBus() throws {
    var announcement = ServiceAnnouncement(port: 6053, records: [])
    #expect(announcement.wantsConnection(at: 0))
    announcement.connected()
    let events = announcement.receive(Array("REJECTED\r\n".utf8)[...], at: 0)
    #expect(events == [.notAnnounced(ServiceAnnouncement.closure)])
    #expect(!announcement.isConnected && announcement.deadline == 1_000_000)
  }
}
