// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
public import JSON

extension DeviceView {
  /// The line of `sightings --json` (`Config/schema/sightings.schema.json`).
  public func write(to json: inout JSONWriter) {
    json.line { json in
      json.member("address", address.text)
      json.member("addressType", address.type.text)
      if let name { json.member("name", name.text) }
      json.member("rssi", rssi)
      json.member("filteredRSSI", device.signal.filteredRSSI)
      json.member("reports", device.reportCount)
      json.member("firstSeen", Seconds(microseconds: device.firstSeen.microseconds))
      json.member("lastSeen", Seconds(microseconds: device.lastSeen.microseconds))
      json.member("silence", silence)
      json.member("intervalMilliseconds", device.signal.learnedMilliseconds)
      json.objects("items", matches) { json, match in
        json.member("app", match.app)
        json.member("item", match.id)
        json.member("found", match.match.isFound)
        json.member("presence", match.match.presence.text)
      }
      json.member("data", Hex(payloads.first.map { $0.data + $0.response } ?? []))
    }
  }

  private var rssi: Int8? { device.rssi >= -127 && device.rssi <= 20 ? device.rssi : nil }

  /// Above the lines of ``text(_:)``.
  public static let textHeader = "    dBm  address            reports    silent  name, items\n"

  /// One line for people; items that have not found the device stand in parentheses.
  public func text(_ style: TextStyle = .plain) -> String {
    let level = (device.signal.filteredRSSI.map { "\($0)" } ?? "-").paddedLeft(to: 7)
    let address = style.strong((address.text ?? "(anonymous)").padded(to: 17))
    let reports = "\(device.reportCount)".paddedLeft(to: 8)
    let silent = "\(silence.text(decimals: 1)) s".paddedLeft(to: 10)
    var words = name.map { [$0.text.terminal(columnsMax: 30)] } ?? []
    words += matches.map { match in
      let id = AirText(Array("\(match.app)/\(match.id)".utf8)).escaped()
      return match.match.isFound ? id : "(\(id))"
    }
    let heard = "\(level)  \(address) \(reports)\(silent)"
    guard !words.isEmpty else { return heard + "\n" }
    var rows = TextRows(indent: Self.wordsColumn, labelColumnCount: 0)
    rows.row("", words)
    return "\(heard)  \(rows.text.dropFirst(Self.wordsColumn))"
  }

  /// Where names and items start.
  private static let wordsColumn = 47
}
