// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import Wireless

@Suite("Scans of an interface, as nl80211 reports them")
struct InterfaceScansTests {
  private static let start = Instant(microseconds: 7)

  @Test("A scan is under way from its start to its end, and the news of its end come once")
  func ends() {
    for (event, hasCompleted) in [(ScanMessage.Event.completed, true), (.aborted, false)] {
      var scans = InterfaceScans(of: 3)
      scans.receive(.started, at: Self.start)
      #expect(scans.takeNews(at: Self.start) == .with(isUnderWay: true))
      scans.receive(event, at: Self.start.advanced(milliseconds: 4000))
      let end = Self.start.advanced(milliseconds: 5000)
      #expect(scans.takeNews(at: end) == .with(hasCompleted: hasCompleted, hasAborted: !hasCompleted))
      #expect(scans.takeNews(at: end) == ScanNews())
    }
  }

  @Test("A scan whose end is not reported is under way for 30 s at most, and not after messages were lost")
  func withoutEnd() {
    var scans = InterfaceScans(of: 3)
    scans.receive(.started, at: Self.start)
    #expect(scans.isUnderWay(at: Self.start.advanced(milliseconds: 29_999)))
    #expect(!scans.isUnderWay(at: Self.start.advanced(milliseconds: 30_000)))
    #expect(scans.takeNews(at: Self.start.advanced(milliseconds: 30_000)) == ScanNews())
    scans.noteLoss()
    #expect(!scans.isUnderWay(at: Self.start))
  }
}

extension ScanNews {
  fileprivate static func with(
    isUnderWay: Bool = false, hasCompleted: Bool = false, hasAborted: Bool = false
  ) -> ScanNews {
    var news = ScanNews()
    (news.isUnderWay, news.hasCompleted, news.hasAborted) = (isUnderWay, hasCompleted, hasAborted)
    return news
  }
}
