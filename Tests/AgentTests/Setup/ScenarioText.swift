// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Registry
import Varlink
import VarlinkClient

// Short texts for replies and events.

extension ReceivedReply {
  /// The text of a reply to a call other than Activate and Watch.
  func summary(_ scenario: SetupScenario) -> String {
    if let error {
      let details = [text("field"), text("failure"), text("kind"), text("name")].compactMap { $0 }
      return ([String(error.drop(through: "."))] + details).joined(separator: " ")
    }
    if let accessory = object("accessory") { return accessory.accessorySummary(scenario) }
    if let advertisement = object("advertisement") {
      return [
        advertisement.integer("sequence").map { "#\($0)" }, advertisement.text("event"),
        advertisement.text("identifier").map(scenario.alias),
      ].compactMap { $0 }.joined(separator: " ")
    }
    let parts = [
      text("accessory").map(scenario.alias), text("displayName"),
      self["awaitsApp"] == .bool(true) ? "awaits its app" : nil,
      self["finishesInApp"] == .bool(true) ? "continues in the app" : nil,
      self["isReset"] == .bool(true) ? "reset" : nil, integer("missed").map { "missed \($0)" },
      integer("accessories").map { "\($0) accessories" }, text("state"), text("address"),
      object("removed")?.text("device").map { "removed \($0)" },
      object("former")?.text("device").map { "former identifier of \($0)" },
      text("request") != nil ? "open" : nil, text("pairing"), text("method"),
      continues ? integer("sequence").map { "from #\($0)" } : nil,
    ].compactMap { $0 }
    return parts.isEmpty ? continues ? "…" : "done" : parts.joined(separator: " ")
  }
}

extension JSONObject {
  func bool(_ name: String) -> Bool { self[name] == .bool(true) }

  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = self[name] { object } else { nil }
  }

  func list(_ name: String) -> [JSONValue] {
    if case .array(let elements)? = self[name] { elements } else { [] }
  }

  func texts(_ name: String) -> [String] {
    list(name).compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  func objects(_ name: String) -> [JSONObject] {
    list(name).compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  /// The text of an accessory, for its app or an operator.
  func accessorySummary(_ scenario: SetupScenario) -> String {
    let state: String? =
      switch integer("state") {
      case 0: "unauthorized"
      case 10: "awaitingAuthorization"
      case 20: "authorized"
      case nil: text("state")
      case let other?: "state \(other)"
      }
    let status = text("status").flatMap { $0 == "active" ? nil : $0 }
    return [text("identifier").map(scenario.alias), text("displayName"), state, status, text("ssid")]
      .compactMap { $0 }.joined(separator: " ")
  }

  /// The text of a life-cycle event.
  func eventSummary(_ scenario: SetupScenario) -> String {
    var parts = [text("event") ?? "?"]
    if let accessory = object("accessory") { parts.append(accessory.accessorySummary(scenario)) }
    let changed = texts("changed")
    if !changed.isEmpty { parts.append("(\(changed.joined(separator: " ")))") }
    if let discovered = object("discovered") {
      parts.append(
        "\(discovered.integer("discovered") ?? -1) of item \(discovered.integer("itemIndex") ?? -1)")
    }
    if let error = object("error") { parts.append(error.text("name") ?? "?") }
    return parts.joined(separator: " ")
  }

  /// The text of a request, as operators see it.
  func requestSummary(_ scenario: SetupScenario) -> String {
    [
      text("kind"), text("app"), text("phase"), bool("isOnBehalf") ? "on behalf" : nil,
      bool("usesTouch") ? "touch" : nil,
      bool("isFiltered") ? "filtered, \(integer("disclosed") ?? -1) reported" : nil,
      integer("remaining").flatMap { $0 == 1 || text("kind") != "setup" ? nil : "\($0) to come" },
      integer("hidden").flatMap { $0 > 0 ? "\($0) hidden" : nil },
      integer("turnedAway").map { "\($0) turned away" }, integer("tooSlow").map { "\($0) too slow" },
      text("displayName"), text("pairing"), text("digits"),
      texts("adds").isEmpty ? nil : "adds \(texts("adds").joined(separator: ", "))", text("detail"),
    ].compactMap { $0 }.joined(separator: " ")
  }
}
