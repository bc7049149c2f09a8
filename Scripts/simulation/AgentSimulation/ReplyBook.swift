// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Varlink
import VarlinkClient

/// The calls and replies of one client.
///
/// Replies come in the order of the calls; each call has one last reply, and only one that asked for more has others
/// before it.
struct ReplyBook {
  let client: String
  /// Whether the client breaks the protocol, so that no reply is required.
  let isLenient: Bool
  var mayCallGateway = true
  var pending: [PendingCall] = []
  private(set) var watch: WatchBook?
  /// The parameters of the last status.
  private(set) var lastStatus: JSONObject?
  private(set) var replyCount = 0
  /// Bytes of an incomplete message.
  private var partial: [UInt8] = []

  init(client: String, isLenient: Bool) {
    self.client = client
    self.isLenient = isLenient
  }

  /// Whether every call has its last reply, except streams without end.
  var isSettled: Bool {
    pending.allSatisfy { call in
      switch call.kind {
      case .watch, .capture: true
      case .status, .reload, .list, .one, .anything: isLenient
      }
    }
  }

  /// Reads bytes and returns the events among them, in order.
  mutating func read(_ bytes: [UInt8], _ facts: Facts) throws(Breach) -> [WatchBook.Entry] {
    var events: [WatchBook.Entry] = []
    for byte in bytes {
      guard byte == 0 else {
        partial.append(byte)
        continue
      }
      let message = partial
      partial = []
      if let event = try readMessage(message, facts) { events.append(event) }
    }
    return events
  }

  mutating func takeNetworkEvents() -> [JSONObject] { watch?.takeNetworkEvents() ?? [] }

  /// Facts about the agent that replies must agree with.
  struct Facts {
    let epoch: String
    let clients: Int
  }

  private mutating func readMessage(_ message: [UInt8], _ facts: Facts) throws(Breach) -> WatchBook.Entry? {
    replyCount += 1
    guard let reply = ReceivedReply(reading: message.span) else {
      throw Breach(.wrongReply, "\(client) read \(String(decoding: message, as: UTF8.self))")
    }
    guard let call = pending.first else {
      throw Breach(.unaskedReply, "\(client) read \(String(decoding: message, as: UTF8.self))")
    }
    guard !reply.continues || call.wantsMore else {
      throw Breach(.unaskedReply, "\(client) called \(call.method) for one reply and reads several")
    }
    if !reply.continues { pending.removeFirst() }
    if isLenient { return nil }
    try checkRight(reply, to: call)
    if reply.error != nil { return nil }
    return try readReply(reply, to: call, message, facts)
  }

  /// A client without the right to call a method receives only errors of the protocol itself, and learns why.
  private func checkRight(_ reply: ReceivedReply, to call: PendingCall) throws(Breach) {
    let isDenied = reply.error == "org.varlink.service.PermissionDenied"
    let isError = reply.error?.hasPrefix("org.varlink.service.") ?? false
    let needsRight = call.method.hasPrefix("io.accessoryd.Gateway.") && !mayCallGateway
    guard needsRight ? isError : !isDenied else {
      throw Breach(.unaskedReply, "\(client) called \(call.method) and got \(reply.error ?? "a reply")")
    }
    let names = reply.parameters.members.map(\.name)
    guard !isDenied || names == ["reason", "cure"] else {
      throw Breach(.wrongReply, "\(client) was denied \(call.method) with the parameters \(names)")
    }
  }

  private mutating func readReply(
    _ reply: ReceivedReply, to call: PendingCall, _ message: [UInt8], _ facts: Facts
  ) throws(Breach) -> WatchBook.Entry? {
    switch call.kind {
    case .watch(let start):
      if watch == nil { watch = WatchBook(client: client, start: start) }
      return try watch?.readReply(reply.parameters, message, facts)
    case .status:
      lastStatus = reply.parameters
      try checkStatus(reply.parameters, facts)
    case .list:
      // Only the last reply of a list is empty, but for the reason why an item finds nothing.
      let isEmpty = reply.parameters.members.allSatisfy { $0.name == "reasonNothingIsFound" }
      guard reply.continues != isEmpty else {
        let text = String(decoding: message, as: UTF8.self)
        throw Breach(.wrongReply, "\(client) called \(call.method) and read \(text)")
      }
    case .capture, .reload, .one, .anything: break
    }
    return nil
  }

  private func checkStatus(_ status: JSONObject, _ facts: Facts) throws(Breach) {
    guard let devices = status.number("devices"), let devicesMax = status.number("devicesMax"),
      let clients = status.number("connections"), status.text("epoch") == facts.epoch
    else { throw Breach(.wrongReply, "\(client) got a status without its figures") }
    guard devices <= devicesMax, clients <= status.number("connectionsMax") ?? 0 else {
      throw Breach(.bound, "\(client) got \(devices) of \(devicesMax) devices, \(clients) connections")
    }
  }
}
