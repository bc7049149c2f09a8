// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
@testable import AgentRuntime
import Controller
import HCI
import Pairing
import Testing

@Suite("Log lines about messages that are ignored")
struct IgnoredMessageLogTests {
  private static let notices: [(Notice, says: String, counter: String)] = [
    (
      .mgmtMessageIgnored(.truncated(byteCount: 7)),
      "a management event of the kernel ends before its last field, after 7 bytes, and was ignored",
      "accessoryd_management_messages_truncated_total"
    ),
    (
      .mgmtMessageIgnored(.invalidValue(event: 10)),
      "a management event of the kernel (code 10) has a value that its format does not allow, and was ignored",
      "accessoryd_management_messages_invalid_total"
    ),
    (
      .pairing(.busMessageWasIgnored(.unreadable)),
      "a message from bluetoothd or the system bus cannot be read, and was ignored",
      #"accessoryd_bluetoothd_messages_total{reason="malformed"}"#
    ),
    (
      .pairing(.busMessageWasIgnored(.otherProgram)),
      "another program on the system bus sent a message that only bluetoothd may send, and it was ignored",
      #"accessoryd_bluetoothd_messages_total{reason="malformed"}"#
    ),
    (
      .mgmtMessageIgnored(.invalidDigits(event: 15, DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random))),
      "a management event of the kernel (code 15) about a pairing with C4:A1:00:00:1E:27 has digits above 999999, "
        + "which cannot be shown, and was ignored",
      "accessoryd_management_messages_invalid_total"
    ),
    (
      .pairing(.busMessageWasIgnored(.invalidDigits)),
      "bluetoothd asked about digits above 999999, which cannot be shown; the question was refused, and its pairing "
        + "ended",
      #"accessoryd_bluetoothd_messages_total{reason="malformed"}"#
    ),
  ]

  @Test("Each kind says what was ignored and where it is counted, and asks for attention")
  func sentences() {
    for (notice, says, counter) in Self.notices {
      #expect(notice.sentence.hasPrefix("\(says); \(counter) counts such "))
      #expect(notice.level == .warning)
    }
  }

  @Test("A flood of each kind makes one line a minute, and holds back no other kind")
  func limits() {
    var limiter = LogLimiter<LimitedLineKind>()
    let kinds = Self.notices.compactMap(\.0.limitedKind)
    #expect(Set(kinds).count == Self.notices.count)
    for kind in kinds {
      let lines = (0..<1000).count { limiter.admit(kind, at: Instant(microseconds: $0)) != nil }
      #expect(lines == 1)
      #expect(limiter.admit(kind, at: Instant(microseconds: 60_000_000)) == 999)
    }
  }
}
