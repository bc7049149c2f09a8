// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import Discovery
import HCI
public import JSON

extension ItemExplanation {
  /// The line of `explain --json` (`Config/schema/explain.schema.json`).
  public func write(to json: inout JSONWriter) {
    json.line { json in
      writeVerdict(to: &json)
      if setCount > 1 {
        json.member("advertisingSets", setCount)
        json.member("setsHeardSince", setPosition)
      }
      json.objects("clauses", clauses) { $1.write(to: &$0) }
      json.object("gate") { writeGate(to: &$0) }
    }
  }

  /// What both lines begin with.
  private func writeVerdict(to json: inout JSONWriter) {
    json.member("address", address.text)
    json.member("addressType", address.type.text)
    json.member("app", app)
    json.member("item", item)
    json.member("identity", isAlternate ? "alternate" : "descriptor")
    json.member("matches", holds)
    json.member("found", isFound)
    json.member("presence", holds ? match?.presence.text : nil)
  }

  /// The line of `try --json` (`Config/schema/try.schema.json`).
  public func writeTrial(to json: inout JSONWriter) {
    json.line { json in
      writeVerdict(to: &json)
      json.member("filteredRSSI", reading.level.map { Decibels(sixteenths: Int($0)) })
      json.member("failed", failure?.key.rawValue)
      json.member("why", why)
    }
  }

  private func writeGate(to json: inout JSONWriter) {
    json.member("range", gate.isImmediate ? "immediate" : "default")
    json.member("filteredRSSI", reading.level.map { Decibels(sixteenths: Int($0)) })
    json.member("pathLoss", pathLoss)
    json.member("samples", readingCount)
    json.member("learnedIntervalMilliseconds", learnedMilliseconds)
    json.member("silenceMilliseconds", silenceMilliseconds)
    json.member("lostMilliseconds", lostMilliseconds)
    guard gate.isImmediate else { return }
    json.member("enterRSSI", Decibels(sixteenths: reading.enter))
    json.member("leaveRSSI", Decibels(sixteenths: reading.leave))
    json.member("samplesInWindow", reading.samples)
    json.member("samplesMin", reading.samplesMin)
    json.member("windowMilliseconds", reading.windowMilliseconds)
    json.member("stateMilliseconds", match.map { now.milliseconds(since: $0.since) })
    json.member("enterDwellMilliseconds", reading.enterDwellMilliseconds)
    json.member("leaveDwellMilliseconds", reading.leaveDwellMilliseconds)
  }
}

extension Presence {
  var text: String {
    switch self {
    case .outside: "outside"
    case .approaching: "approaching"
    case .inside: "inside"
    case .leaving: "leaving"
    }
  }
}

extension ClauseAnswer {
  /// The members of an object.
  func write(to json: inout JSONWriter) {
    json.member("clause", key.rawValue)
    json.member("holds", holds)
    wanted.write("wanted", to: &json)
    if let mask { json.member("mask", Hex(mask)) }
    if key == .nameSubstring { json.member("options", options.words) }
    json.objects("compared", comparisons) { json, comparison in
      json.member("in", comparison.part.rawValue)
      json.member("offset", comparison.offset)
      json.member("type", comparison.type)
      comparison.value.write("value", to: &json)
      json.member("holds", comparison.holds)
      guard let masked = comparison.masked else { return }
      json.member("masked", Hex(masked.found))
      json.member("wantedMasked", Hex(masked.wanted))
      json.member("firstDifference", masked.firstDifference)
    }
  }
}

extension ClauseAnswer.Value {
  fileprivate func write(_ key: String, to json: inout JSONWriter) {
    switch self {
    case .company, .uuid: json.member(key, text)
    case .bytes(let bytes): json.member(key, Hex(bytes))
    case .name(let name): json.member(key, name)
    }
  }

  var text: String {
    switch self {
    case .company(let identifier): "0x" + Hex.digits(UInt64(identifier), count: 4)
    case .uuid(let uuid): uuid.text
    case .bytes(let bytes): bytes.isEmpty ? "(nothing)" : Hex(bytes).text
    case .name(let name): name.terminal(columnsMax: 40)
    }
  }
}

extension CompareOptions {
  /// As the manifest writes them.
  var words: [String] {
    let names: [(CompareOptions, String)] = [
      (.caseInsensitive, "caseInsensitive"), (.literal, "literal"), (.backwards, "backwards"),
      (.anchored, "anchored"),
    ]
    return names.filter { contains($0.0) }.map(\.1)
  }
}
