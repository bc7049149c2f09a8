// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Registry
import Setup
import Testing

@Suite("Sessions")
struct SessionStoreTests {
  /// A table that expectations can change.
  private final class Table {
    var sessions = SessionStore()

    func open(
      _ token: RandomIdentifier, app: String = "lights", user: UInt32 = 1000, appCount: Int = 2
    ) -> (session: Session?, ended: Session?) {
      sessions.open(token, app: app, owner: .user(user), appCount: appCount)
    }
    func resume(_ token: RandomIdentifier) -> Bool { sessions.resume(token) }
    func leave(_ token: RandomIdentifier, at now: Instant) { sessions.leave(token, at: now) }
    func close(_ token: RandomIdentifier) -> Session? { sessions.close(token) }
    func expire(at now: Instant) -> [Session] { sessions.expire(at: now) }
    func count(ofApps appCount: Int) -> Int {
      (0..<appCount).reduce(0) { $0 + sessions.sessions(of: "app\($1)").count }
    }
    func session(_ token: RandomIdentifier, of user: UInt32) -> Session? {
      sessions.session(token, of: .user(user))
    }
  }

  private func token(_ number: UInt64) -> RandomIdentifier { RandomIdentifier(high: 7, low: number) }
  private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  @Test("A session is found by its token, and only for the user that opened it")
  func belongs() {
    let table = Table()
    #expect(table.open(token(1)).session?.app == "lights")
    #expect(table.session(token(1), of: 1000)?.app == "lights")
    #expect(table.session(token(1), of: 1001) == nil)
    #expect(table.session(token(2), of: 1000) == nil)
  }

  @Test("Without its stream a session lives ten seconds, and can be resumed in that time")
  func lingers() {
    let table = Table()
    _ = table.open(token(1))
    #expect(table.sessions.nextEnd == nil)
    table.leave(token(1), at: at(5))
    #expect(table.sessions.nextEnd == at(15))
    #expect(table.expire(at: at(14)).isEmpty)
    #expect(table.resume(token(1)))
    #expect(!table.resume(token(1)))
    #expect(table.expire(at: at(60)).isEmpty)
    table.leave(token(1), at: at(61))
    #expect(table.expire(at: at(71)).map(\.token) == [token(1)])
    #expect(table.session(token(1), of: 1000) == nil)
    #expect(!table.resume(token(1)))
  }

  @Test("An app with 16 sessions ends its own that was left longest, never a streamed one or another user's")
  func fullApp() {
    let table = Table()
    for number in 0..<UInt64(SessionStore.countMaxPerApp) {
      #expect(table.open(token(number), user: number == 2 ? 1001 : 1000).session != nil)
    }
    #expect(table.open(token(900)).session == nil)
    table.leave(token(4), at: at(3))
    table.leave(token(3), at: at(2))
    table.leave(token(2), at: at(1))
    let opened = table.open(token(901))
    #expect(opened.session?.token == token(901) && opened.ended?.token == token(3))
  }

  @Test("Each app of the manifest has its share of sessions, however many the others have opened and left")
  func reserved() {
    let table = Table()
    let appCount = 20
    // Half of the places, divided among the apps.
    let share = SessionStore.countMax / 2 / appCount
    var number: UInt64 = 0
    for app in 0..<9 {
      for _ in 0..<40 {
        number += 1
        let opened = table.open(token(number), app: "app\(app)", appCount: appCount)
        #expect(opened.ended.map { $0.app == "app\(app)" } ?? true)
        if opened.session != nil { table.leave(token(number), at: at(Int64(number))) }
      }
    }
    #expect(table.count(ofApps: appCount) == SessionStore.countMax - 11 * share)
    for app in 9..<appCount {
      for place in 0..<share {
        let token = token(1000 + UInt64(app * share + place))
        let opened = table.open(token, app: "app\(app)", appCount: appCount)
        #expect(opened.session != nil && opened.ended == nil)
      }
    }
    #expect(table.count(ofApps: appCount) == SessionStore.countMax)
  }

  @Test("Sessions of an app are listed in the order of opening, without closed ones")
  func order() {
    let table = Table()
    for number in 1...3 { _ = table.open(token(UInt64(number))) }
    _ = table.open(token(9), app: "door", user: 1001)
    #expect(table.close(token(2))?.token == token(2))
    #expect(table.close(token(2)) == nil)
    #expect(table.sessions.sessions(of: "lights").map(\.token) == [token(1), token(3)])
  }
}
