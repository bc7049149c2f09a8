// SPDX-License-Identifier: GPL-3.0-or-later

import JSON

/// The events that an app's sessions received, by number: the same for all sessions, or for one session alone.
struct AppLog {
  private struct Entry: Equatable {
    /// Nil is for every session.
    var session: String?
    var text: String
  }

  private var entries: [UInt64: Entry] = [:]
  /// The sessions for which a number was marked as another session's.
  private var passed: [UInt64: Set<String>] = [:]

  mutating func add(
    _ event: JSONObject, from next: UInt64, at sequence: UInt64, _ session: String, _ client: String
  ) throws(Breach) {
    let kind = event.text("event") ?? ""
    let accessory = event.object("accessory")
    let state = accessory?.number("state") ?? 0
    let text =
      "\(kind) \(accessory?.text("identifier") ?? "") \(accessory?.text("displayName") ?? "") \(state)"
    // A picker of the previous run ends for every session that returns from that run.
    let isOfPreviousRun = kind.hasPrefix("picker") && event.text("picker") == nil
    let isForAll = isOfPreviousRun || kind.hasPrefix("accessory") && accessory != nil
    let entry = Entry(session: isForAll ? nil : session, text: text)
    guard entries[sequence] ?? entry == entry else {
      throw Breach(.lostCount, "\(client) read \(text) as \(sequence), another session something else")
    }
    entries[sequence] = entry
    guard passed[sequence]?.contains(session) != true, entry.session != nil || passed[sequence] == nil else {
      throw Breach(.lostCount, "\(client) read \(text) as \(sequence), which was marked as another session's")
    }
    for number in next..<sequence {
      try checkPassed(number, session, client)
      passed[number, default: []].insert(session)
    }
  }

  /// Checks that no event from `next` on is for the session.
  func checkEnd(_ next: UInt64, _ session: String, _ client: String) throws(Breach) {
    for number in entries.keys.sorted() where number >= next { try checkPassed(number, session, client) }
  }

  private func checkPassed(_ number: UInt64, _ session: String, _ client: String) throws(Breach) {
    guard let entry = entries[number], entry.session == nil || entry.session == session else { return }
    throw Breach(.lostCount, "\(client) did not receive \(number), \(entry.text)")
  }
}
