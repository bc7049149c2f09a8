// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import ToolText
import VarlinkClient

// A report of `watch --reports`.

extension ReportMessage.Report {
  /// The members of its line (`Config/schema/reports.schema.json`).
  func writeMembers(time: Seconds, to json: inout JSONWriter) {
    json.member("time", time)
    json.members(record.address)
    if record.flags.contains(.hasIdentity) {
      json.member("identity", record.identity.text)
      json.member("identityType", record.identity.type.word)
    }
    for (name, flag) in Self.flags { json.member(name, record.flags.contains(flag)) }
    json.member("rssi", record.rssi == 127 ? nil : record.rssi)
    json.member("txPower", record.txPower == 127 ? nil : record.txPower)
    json.member("primaryPHY", PHY(rawValue: record.primaryPHY)?.text)
    json.member("secondaryPHY", PHY(rawValue: record.secondaryPHY)?.text)
    json.member("sid", record.advertisingSID == 0xFF ? nil : record.advertisingSID)
    if record.waited != ReportLayout.waitedUnknown {
      json.member("waited", Seconds(microseconds: Int64(record.waited) * 100))
    }
    json.member("data", Hex(data))
  }

  /// One line for readers, after the time.
  var text: String {
    let address = record.address.text ?? "anonymous"
    let level = (record.rssi == 127 ? "?" : "\(record.rssi)").paddedLeft(to: 4)
    let words = Self.flags.filter { record.flags.contains($0.flag) }.map(\.name)
    let identity = record.flags.contains(.hasIdentity) ? " of \(record.identity.text ?? "?")" : ""
    return "\(address)\(identity) \(record.address.type.word) \(level) dBm  \(Hex(data).text)"
      + (words.isEmpty ? "" : "  \(words.joined(separator: ", "))")
  }

  private static let flags: [(name: String, flag: ReportRecord.Flags)] = [
    ("connectable", .connectable), ("scannable", .scannable), ("directed", .directed),
    ("scanResponse", .scanResponse), ("extended", .extended), ("incomplete", .incomplete),
    ("truncated", .truncated), ("isAccessory", .isAccessory),
  ]
}
