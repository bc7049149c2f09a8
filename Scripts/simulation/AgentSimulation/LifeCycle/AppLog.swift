// SPDX-License-Identifier: GPL-3.0-or-later

import JSON

/// What an app's sessions were told under which number: the same for all of them, or for one of them alone.
struct AppLog {
  private struct Entry: Equatable {
    /// Nil is every session.
    var session: String?
    var words: String
  }

  private var entries: [UInt64: Entry] = [:]
  /// Sessions that were told a number was not for them.
  private var passed: [UInt64: Set<String>] = [:]

  mutating func take(
    _ event: JSONObject, from next: UInt64, at sequence: UInt64, _ session: String, _ client: String
  ) throws(Breach) {
    let kind = event.text("event") ?? ""
    let accessory = event.object("accessory")
    let state = accessory?.number("state") ?? 0
    let words =
      "\(kind) \(accessory?.text("identifier") ?? "") \(accessory?.text("displayName") ?? "") \(state)"
    // What the run before had begun ends for everybody who comes back from it.
    let isOfRunBefore = kind.hasPrefix("picker") && event.text("picker") == nil
    let isForAll = isOfRunBefore || kind.hasPrefix("accessory") && accessory != nil
    let entry = Entry(session: isForAll ? nil : session, words: words)
    guard entries[sequence] ?? entry == entry else {
      throw Breach(.lostCount, "\(client) read \(words) as \(sequence), others something else")
    }
    entries[sequence] = entry
    guard passed[sequence]?.contains(session) != true, entry.session != nil || passed[sequence] == nil else {
      throw Breach(.lostCount, "\(client) read \(words) as \(sequence), which was passed over before")
    }
    for number in next..<sequence {
      try checkPassed(number, session, client)
      passed[number, default: []].insert(session)
    }
  }

  /// The numbers from there on are not the session's.
  func checkEnd(_ next: UInt64, _ session: String, _ client: String) throws(Breach) {
    for number in entries.keys.sorted() where number >= next { try checkPassed(number, session, client) }
  }

  private func checkPassed(_ number: UInt64, _ session: String, _ client: String) throws(Breach) {
    guard let entry = entries[number], entry.session == nil || entry.session == session else { return }
    throw Breach(.lostCount, "\(client) was not told \(number), \(entry.words)")
  }
}
