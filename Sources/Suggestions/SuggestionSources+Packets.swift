// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Explanation
import HCI
public import Interfaces

extension SuggestionSources {
  /// Takes the reports of packets that the agent has recorded.
  public mutating func addPackets(_ packets: [CaptureReply.Packet]) {
    var decoder = ArenaOwner { ReportDecoder(in: &$0) }
    guard let start = packets.first.map({ Instant(microseconds: $0.time.microseconds) }) else { return }
    for packet in packets where packet.direction == .received {
      // H4 indicator of an event: Core Specification 5.4, Volume 4, Part A, 2.
      guard packet.packet.first == 4 else { continue }
      let body = Array(packet.packet.dropFirst())
      guard let event = try? Event(parsing: body.span.rawBytes) else { continue }
      let time = Instant(microseconds: packet.time.microseconds)
      _ = decoder.value.decodeReports(of: event, at: time, since: start) { addReport($0) }
    }
  }
}
