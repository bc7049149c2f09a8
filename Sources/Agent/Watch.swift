// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import JSON
import Manifest
import ToolText
import Varlink

/// One watcher of sighting events: where it stands, and what it was told so far.
struct Watch: Sendable {
  enum Phase: Sendable {
    /// Nothing was said yet; with `isReset` the client's cursor was of no use.
    case greeting(isReset: Bool, lists: Bool)
    /// The devices that were found come first.
    case listing(row: Int)
    case live
  }

  var phase: Phase
  var cursor: EventCursor
}

extension AgentCore {
  /// A watch from the cursor in the call, or from now on.
  func watch(_ parameters: Parameters) throws(CallRefusal) -> Watch {
    let ring = EventCursor(epoch: epoch, sequence: dataPath.pipeline.events.produced)
    guard let wanted = try? parameters.textIfAny("epoch") else {
      guard parameters["sequence"] == nil else { throw .parameter("epoch") }
      return Watch(phase: .greeting(isReset: false, lists: true), cursor: ring)
    }
    guard let sequence = try? parameters.integer("sequence"), sequence >= 0 else {
      throw .parameter("sequence")
    }
    let cursor = EventCursor(epoch: epoch, sequence: UInt64(sequence))
    guard wanted == epoch.text, cursor.sequence <= ring.sequence else {
      return Watch(phase: .greeting(isReset: true, lists: true), cursor: ring)
    }
    return Watch(phase: .greeting(isReset: false, lists: false), cursor: cursor)
  }

  func step(_ watch: inout Watch) -> Step {
    switch watch.phase {
    case .greeting(let isReset, let lists):
      watch.phase = lists ? .listing(row: 0) : .live
      return .say(greeting(watch, isReset: isReset))
    case .listing(let row):
      guard let row = nextFound(from: row) else {
        watch.phase = .live
        return step(&watch)
      }
      watch.phase = .listing(row: row + 1)
      return present(row)
    case .live: return live(&watch)
    }
  }

  private func greeting(_ watch: Watch, isReset: Bool) -> [UInt8] {
    Message.reply(continues: true) { json in
      json.member("epoch", epoch.text)
      json.member("sequence", watch.cursor.sequence)
      json.member("time", Seconds(microseconds: radioTime.microseconds))
      if isReset { json.member("reset", true) }
    }
  }

  /// The next row whose device an item has found.
  private func nextFound(from start: Int) -> Int? {
    var row = start
    while row < dataPath.pipeline.rowCount {
      if dataPath.isFound(at: row) { return row }
      row += 1
    }
    return nil
  }

  private func present(_ row: Int) -> Step {
    guard let view = dataPath.device(atRow: row) else { return .wait }
    return .say(Message.element("present", DeviceLine(view)))
  }

  private func live(_ watch: inout Watch) -> Step {
    let sequence = watch.cursor.sequence
    if let message = rendered[sequence] {
      watch.cursor.sequence = sequence &+ 1
      tally.eventsDelivered &+= 1
      return .say(message)
    }
    switch dataPath.pipeline.events.read(&watch.cursor) {
    case .end: return .wait
    case .missed(let count):
      tally.eventsMissed &+= count
      return .say(Message.reply(continues: true) { $0.member("missed", count) })
    case .reset: preconditionFailure("a watch stands in this run's ring")
    case .event(let sequence, let sighting, let byteCount):
      tally.eventsDelivered &+= 1
      let message = message(sequence, sighting, byteCount)
      rendered[sequence] = message
      return .say(message)
    }
  }

  private func message(_ sequence: UInt64, _ sighting: Sighting, _ byteCount: Int) -> [UInt8] {
    Message.element("event", dataPath.event(sequence, sighting, byteCount: byteCount))
  }
}

extension DataPath {
  /// Whether an item has found the device in a row.
  func isFound(at row: Int) -> Bool {
    guard let device = pipeline.device(at: row) else { return false }
    for place in 0..<Int(device.matchCount) where pipeline.match(place, at: row).isFound { return true }
    return false
  }

  /// An event of the ring that was just read, with its item's names.
  func event(_ sequence: UInt64, _ sighting: Sighting, byteCount: Int) -> EventLine {
    var payload: [UInt8] = []
    payload.reserveCapacity(byteCount)
    for index in 0..<byteCount { payload.append(pipeline.events.payloadByte(of: sequence, at: index)) }
    return EventLine(sequence: sequence, sighting: sighting, item: item(of: sighting), payload: payload)
  }
}

extension Block128 {
  /// 32 hexadecimal digits, most significant first.
  var text: String { Hex.digits(high, count: 16) + Hex.digits(low, count: 16) }
}
