// SPDX-License-Identifier: GPL-3.0-or-later

import JSON

/// The replies to one watch: events by number, gaps by count.
struct WatchBook {
  /// An event, and the message with it.
  struct Entry {
    var event: SeenEvent
    var message: [UInt8]
  }

  let client: String
  let start: WatchStart
  /// The sequence number that must come next; nil before the first reply.
  private(set) var next: UInt64?
  private(set) var delivered: UInt64 = 0
  private(set) var missed: UInt64 = 0
  private(set) var first: UInt64 = 0
  private var isListing = true
  /// When the radio changed last, in microseconds.
  private var radioChangedAt: Int64 = 0
  /// The events of networks that were not taken yet.
  private var networkEvents: [JSONObject] = []

  init(client: String, start: WatchStart) {
    self.client = client
    self.start = start
  }

  mutating func readReply(
    _ parameters: JSONObject, _ message: [UInt8], _ facts: ReplyBook.Facts
  ) throws(Breach) -> Entry? {
    guard let next else {
      try readGreeting(parameters, facts)
      return nil
    }
    guard parameters.members.count == 1 else { throw wrong(message) }
    if parameters.object("present") != nil || parameters.object("presentNetwork") != nil, isListing {
      return nil
    }
    if let network = parameters.object("network") {
      networkEvents.append(network)
      return nil
    }
    if let count = parameters.number("missedNetworks"), count > 0 { return nil }
    if let change = parameters.object("radioChanged") {
      try readRadioChange(change, message)
      return nil
    }
    isListing = false
    if let count = parameters.number("missed"), count > 0 {
      missed += UInt64(count)
      self.next = next + UInt64(count)
      return nil
    }
    guard let event = parameters.object("event").flatMap(SeenEvent.init) else { throw wrong(message) }
    guard event.sequence == next else {
      throw Breach(.lostCount, "\(client) read event \(event.sequence) in place of \(next)")
    }
    delivered += 1
    self.next = next + 1
    return Entry(event: event, message: message)
  }

  /// Returns the events of networks since the last call.
  mutating func takeNetworkEvents() -> [JSONObject] {
    defer { networkEvents = [] }
    return networkEvents
  }

  /// Checks the first reply: the epoch, the position, and whether the cursor was valid.
  private mutating func readGreeting(_ parameters: JSONObject, _ facts: ReplyBook.Facts) throws(Breach) {
    guard parameters.text("epoch") == facts.epoch, let sequence = parameters.number("sequence"),
      parameters.microseconds("time") != nil
    else { throw Breach(.wrongReply, "\(client) received a first reply without epoch, sequence or time") }
    let isReset = parameters.bool("isReset") ?? false
    let isRight =
      switch start {
      case .anew: !isReset
      case .at(let wanted): !isReset && UInt64(sequence) == wanted
      case .otherRun, .future: isReset
      }
    guard isRight else {
      throw Breach(.wrongReply, "\(client) began \(start) and starts at \(sequence), isReset \(isReset)")
    }
    if case .at = start { isListing = false }
    (next, first) = (UInt64(sequence), UInt64(sequence))
  }

  /// Checks a change of the radio: changes come in their order, and only a radio that scans again tells its gap.
  private mutating func readRadioChange(_ change: JSONObject, _ message: [UInt8]) throws(Breach) {
    guard let time = change.microseconds("time"), time >= radioChangedAt, let state = change.text("state")
    else { throw wrong(message) }
    let gap = change.microseconds("gap")
    guard gap.map({ state == "on" && (0...time).contains($0) }) ?? true else { throw wrong(message) }
    radioChangedAt = time
  }

  private func wrong(_ message: [UInt8]) -> Breach {
    Breach(.wrongReply, "\(client) watches and read \(String(decoding: message, as: UTF8.self))")
  }
}
