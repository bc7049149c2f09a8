// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
public import HCI
public import Interfaces
import JSON

/// A record that holds no advertising reports.
public struct OtherPacket: Equatable, Sendable {
  private static let shownByteCount = 24

  /// Since the capture's first record.
  public let time: Seconds
  public let content: BtsnoopRecord.Content
  public let byteCount: Int
  /// The first bytes, without an H4 indicator.
  public let beginning: [UInt8]

  init(_ record: borrowing BtsnoopRecord, time: Seconds) {
    self.time = time
    content = record.content
    byteCount = record.payload.byteCount
    beginning = record.payload.extracting(first: Self.shownByteCount).copied
  }

  /// One line of a table, and one with the first bytes.
  public func text(_ style: TextStyle = .plain) -> String {
    var rows = TextRows(indent: 14, labelColumnCount: 14, style)
    let bytes = "\(byteCount) \(byteCount == 1 ? "byte" : "bytes")"
    rows.line("\(time.text.paddedLeft(to: 12))  \(style.faint("\(contentText), \(bytes)"))")
    if byteCount > 0 { rows.row("", Hex(beginning).text + (byteCount > beginning.count ? "…" : "")) }
    return rows.text
  }

  private var contentText: String {
    switch content {
    case .packet(let kind, let isReceived, let adapter):
      "\(kind.text) \(isReceived ? "from" : "to") controller \(adapter)"
    case .monitor(let opcode, let adapter): "monitor note \(opcode) of controller \(adapter)"
    case .unknown(.some(let indicator)): "unknown packet type \(indicator)"
    case .unknown(nil): "empty record"
    }
  }
}

extension PacketKind {
  fileprivate var text: String {
    switch self {
    case .command: "command"
    case .acl: "ACL data"
    case .sco: "synchronous data"
    case .event: "event"
    case .iso: "isochronous data"
    }
  }
}
