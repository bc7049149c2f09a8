// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Manifest

/// A model that receives the same scans as the agent, and checks every event of a network.
///
/// It follows the specification and shares no code with the agent: it keeps every scan, and computes everything again
/// for each check.
struct NetworkModel {
  /// An item that has found a network.
  private struct Subject: Hashable, CustomStringConvertible {
    var app: String
    var item: String
    var name: [UInt8]

    var description: String { "\(app)/\(item) \(name)" }
  }

  private static let minute: Int64 = 60_000_000
  private static let matchesMax = 8

  private var seen: [[UInt8]: Int64] = [:]
  private var scans: [Int64] = []
  private var found: Set<Subject> = []
  private var items: [ManifestItem]
  /// The items before the reload at that time.
  private var reload: (time: Int64, before: [ManifestItem])?
  private var lossTime: Int64?
  private(set) var eventCount = 0

  init(_ manifest: GatewayManifest) { items = manifest.items }

  // MARK: What happens

  mutating func scan(_ heard: [RandomNetworks.Heard], at now: Int64) {
    for network in heard where network.name.contains(where: { $0 != 0 }) {
      seen[network.name] = max(seen[network.name] ?? 0, network.seen)
    }
    scans.append(now)
    for name in seen.keys where isLost(name) { seen[name] = nil }
  }

  mutating func loseInterface(at now: Int64) {
    (seen, scans) = ([:], [])
    lossTime = now
  }

  mutating func reload(_ manifest: GatewayManifest, at now: Int64) {
    if reload?.time != now { reload = (now, items) }
    items = manifest.items
  }

  // MARK: Rules

  /// At least two scans, in at least a minute, have completed without it.
  private func isLost(_ name: [UInt8]) -> Bool {
    guard let last = seen[name] else { return true }
    let missed = scans.filter { $0 > last }
    return missed.count >= 2 && (missed.last ?? 0) - last >= Self.minute
  }

  /// The items that look for the name, the first eight.
  private func matching(_ name: [UInt8], in items: [ManifestItem]) -> [ManifestItem] {
    let all = items.filter { entry in
      let descriptor = entry.item.descriptor
      guard descriptor.companyIdentifier == nil, descriptor.serviceUUID == nil,
        descriptor.nameSubstring == nil
      else { return false }
      if let ssid = descriptor.ssid { return ssid == name }
      guard let prefix = descriptor.ssidPrefix else { return false }
      return name.count >= prefix.count && Array(name[..<prefix.count]) == prefix
    }
    return Array(all.prefix(Self.matchesMax))
  }

  private func looksFor(_ subject: Subject, in items: [ManifestItem]) -> Bool {
    matching(subject.name, in: items).contains { $0.app == subject.app && $0.item.id == subject.item }
  }

  // MARK: Events

  mutating func check(_ event: JSONObject, now: Int64) throws(Breach) {
    eventCount += 1
    guard let subject = Self.subject(event), let time = event.microseconds("time"),
      let kind = event.text("event"), let reason = event.text("reason")
    else { throw Breach(.wrongReply, "an event of a network lacks something") }
    func expect(_ condition: Bool, _ sentence: String) throws(Breach) {
      guard condition else {
        throw Breach(.unexplainedEvent, "network \(kind) \(subject) at \(time) µs, \(reason): \(sentence)")
      }
    }
    try expect(time == now, "it comes late")
    if kind == "found" {
      try expect(found.insert(subject).inserted, "it was found already")
      try expect(reason == "matched", "it has no reason")
      try expect(looksFor(subject, in: items), "the item does not look for it")
      try expect(seen[subject.name] != nil && !isLost(subject.name), "it is not there")
      return
    }
    try expect(found.remove(subject) != nil, "it was not found")
    switch reason {
    case "silence": try expect(isLost(subject.name), "scans have not missed it for a minute")
    case "radioDown": try expect(lossTime == now, "the interface was there")
    case "reload":
      try expect(reload?.time == now, "nothing was read")
      let isSame = items.contains { entry in
        entry.app == subject.app && entry.item.id == subject.item
          && reload?.before.contains { $0.app == entry.app && $0.item == entry.item } ?? false
      }
      try expect(!looksFor(subject, in: items) || !isSame, "the item looks for it as before")
    default: try expect(false, "it has no reason")
    }
  }

  private static func subject(_ event: JSONObject) -> Subject? {
    guard let app = event.text("app"), let item = event.text("item"), let text = event.text("ssid") else {
      return nil
    }
    let name = event.text("ssidHex").flatMap { Hex(digits: $0)?.bytes } ?? Array(text.utf8)
    return Subject(app: app, item: item, name: name)
  }

  /// Checks that everything that was due has happened. Called after each step.
  func endStep(at now: Int64) throws(Breach) {
    for subject in found where isLost(subject.name) || !looksFor(subject, in: items) {
      throw Breach(.missingEvent, "network \(subject) was not lost")
    }
    // What is older than a minute may have been found before.
    guard scans.last == now else { return }
    for (name, last) in seen where now - last <= Self.minute && !isLost(name) {
      for entry in matching(name, in: items) {
        let subject = Subject(app: entry.app, item: entry.item.id, name: name)
        guard found.contains(subject) else {
          throw Breach(.missingEvent, "network \(subject) matches and was not found")
        }
      }
    }
  }
}
