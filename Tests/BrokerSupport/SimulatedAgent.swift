// SPDX-License-Identifier: GPL-3.0-or-later

package import BridgeClient
import Interfaces
import JSON
package import Values
import Varlink

/// An agent with a ring of events, which a test ends and begins again.
package struct SimulatedAgent {
  /// A call, and how far its stream is.
  private struct Stream {
    let method: String
    /// The next event that it gets.
    var sequence: UInt64 = 0
    var isHeld = false
  }

  package static let ringMax: UInt64 = 60
  package static let app = "climate"

  package private(set) var isRunning = true
  package private(set) var run = 0
  /// The events of each run: how many there were.
  package private(set) var counts: [String: UInt64] = [:]
  package private(set) var accessories: [Int: String] = [:]
  private var streams: [BridgeCallID: Stream] = [:]

  package var epoch: String { "run\(run)" }
  private var count: UInt64 { counts[epoch] ?? 0 }

  package init() { counts[epoch] = 0 }

  // MARK: - What the test does

  /// Ends it; the calls that have ended.
  package mutating func end() -> [BridgeCallID] {
    isRunning = false
    defer { streams = [:] }
    return streams.keys.sorted { $0.number < $1.number }
  }

  package mutating func startAgain() {
    guard !isRunning else { return }
    isRunning = true
    run += 1
    counts[epoch] = 0
  }

  package mutating func produceEvent() { if isRunning { counts[epoch] = count + 1 } }

  /// Others have as many events, and the streams say so.
  package mutating func passOver(_ events: Int) -> [(BridgeCallID, [UInt8])] {
    let next = count + UInt64(events)
    counts[epoch] = next
    return eventCalls.map { id in
      streams[id]?.sequence = next
      return (id, Message.reply(continues: true) { $0.member("passed", events) })
    }
  }

  /// The calls that stream events.
  package var eventCalls: [BridgeCallID] {
    streams.filter { $0.value.method.hasSuffix("Gateway.Watch") }.keys.sorted { $0.number < $1.number }
  }

  /// Sets an accessory up, renames it, or removes it.
  package mutating func change(_ number: Int, name: String?) -> [(BridgeCallID, [UInt8])] {
    accessories[number] = name
    return streams.filter { $0.value.method.hasSuffix("Operator.List") }.map { id, _ in
      (
        id,
        name == nil
          ? Message.reply(continues: true) { $0.member("gone", Self.identifier(number)) }
          : Message.reply(continues: true) { $0.object("accessory", self.line(number)) }
      )
    }
  }

  // MARK: - What the bridge does

  /// Its call, and the first replies; nil when it does not run.
  package mutating func receive(_ bytes: [UInt8], on id: BridgeCallID) -> [UInt8] {
    guard case .object(let call)? = try? JSONReader.read(Array(bytes.dropLast()).span),
      case .string(let method)? = call["method"]
    else { return [] }
    var parameters = JSONObject()
    if case .object(let given)? = call["parameters"] { parameters = given }
    streams[id] = Stream(method: method)
    switch method.split(separator: ".").suffix(2).joined(separator: ".") {
    case "Operator.List":
      let lines = accessories.keys.sorted().map { number in
        Message.reply(continues: true) { $0.object("accessory", self.line(number)) }
      }
      return lines.flatMap(\.self) + Message.reply(continues: true) { $0.member("isSynced", true) }
    case "Gateway.Status":
      let epoch = epoch
      return Message.reply { Self.status(epoch).writeMembers(to: &$0) }
    case "Gateway.Watch": return beginWatch(id, parameters)
    default: return Message.error("io.accessoryd.Operator.NotFound") { _ in }
    }
  }

  private mutating func beginWatch(_ id: BridgeCallID, _ parameters: JSONObject) -> [UInt8] {
    let line = JSONObjectReader(parameters)
    let given = (try? line.stringIfPresent("epoch")) ?? nil
    let sequence: UInt64? = (try? line.integerIfPresent("sequence")) ?? nil
    let isKnown = given == epoch
    let (epoch, count) = (epoch, count)
    streams[id]?.sequence = isKnown ? sequence ?? 0 : count
    return Message.reply(continues: true) { json in
      json.member("epoch", epoch)
      json.member("sequence", count)
      if given != nil, !isKnown { json.member("isReset", true) }
    }
  }

  package mutating func close(_ id: BridgeCallID) { streams[id] = nil }

  package mutating func hold(_ id: BridgeCallID, _ isHeld: Bool) { streams[id]?.isHeld = isHeld }

  /// Up to `limit` more replies of the streams of events.
  package mutating func nextReplies(limit: Int) -> [(BridgeCallID, [UInt8])] {
    var replies: [(BridgeCallID, [UInt8])] = []
    for (id, stream) in streams where stream.method.hasSuffix("Gateway.Watch") && !stream.isHeld {
      var next = stream.sequence
      let oldest = count > Self.ringMax ? count - Self.ringMax : 0
      var bytes: [UInt8] = []
      if next < oldest {
        let missed = Int(oldest - next)
        bytes += Message.reply(continues: true) { $0.member("missed", missed) }
        next = oldest
      }
      for _ in 0..<limit where next < count {
        let event = event(next)
        bytes += Message.reply(continues: true) { $0.object("event", event) }
        next += 1
      }
      streams[id]?.sequence = next
      if !bytes.isEmpty { replies.append((id, bytes)) }
    }
    return replies
  }

  // MARK: - Values

  package static func identifier(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
  }

  package static func address(_ number: Int) -> DeviceAddress {
    DeviceAddress(bits: 0xC4A1_0000_0000 + UInt64(number), type: .random)
  }

  private func line(_ number: Int) -> AccessoryLine {
    AccessoryLine(
      identifier: Self.identifier(number), app: Self.app, item: "thermometer",
      displayName: accessories[number] ?? "",
      state: .authorized, status: .active, address: Self.address(number), bond: .none,
      isIdentityDurable: true,
      isInSight: true,
      values: ValueLine.lines(
        of: count > 0 && number > 0 && count >= number ? [event(UInt64(number)).data] : []))
  }

  private func event(_ sequence: UInt64) -> EventLine {
    // BTHome: a temperature that grows.
    let data: [UInt8] = [
      2, 1, 6, 7, 0x16, 0xD2, 0xFC, 0x40, 0x02, UInt8(truncatingIfNeeded: sequence),
      UInt8(truncatingIfNeeded: sequence >> 8),
    ]
    return EventLine(
      sequence: sequence, epoch: epoch, time: Seconds(microseconds: Int64(sequence) * 100_000),
      event: .changed,
      app: Self.app, item: "thermometer", address: Self.address(Int(sequence % 4)), filteredRSSI: -50,
      samples: 5,
      reason: .payload, data: data)
  }

  private static func status(_ epoch: String) -> StatusLine {
    StatusLine(
      version: "1", manifestDigest: String(repeating: "ab", count: 32), epoch: epoch,
      time: Seconds(microseconds: 0),
      radio: RadioLine(source: "hci0", state: .on, detail: "on", initializations: 1, failures: 0, dropped: 0),
      problems: [StatusLine.Problem(kind: "bondLost", sentence: "the bond of C4:A1:00:00:00:01 is lost")],
      warnings: [], openRequests: [],
      bridge: BridgeLine(name: "mqtt", forward: .accessories, apps: [app], may: []))
  }
}
