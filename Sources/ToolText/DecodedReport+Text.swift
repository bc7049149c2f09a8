// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
public import Explanation
import HCI
import Interfaces
import JSON

extension DecodedReport {
  /// A few lines at 80 columns: the address, the PDU and the level; then the fields.
  public func text(_ style: TextStyle = .plain) -> String {
    var rows = TextRows(indent: 14, labelColumnCount: 14, style)
    rows.line(headline(style))
    header.describe(in: &rows)
    if header.dataStatus == .incomplete { rows.row("fragment", "\(data.count) bytes; more follow") }
    if header.dataStatus == .truncated { rows.row("truncated", "the controller gave up on the rest") }
    if let assembled { rows.row("assembled", "\(assembled.count) bytes") }
    fields?.describe(in: &rows, style)
    return rows.text
  }

  private func headline(_ style: TextStyle) -> String {
    let time = time.text.paddedLeft(to: 12)
    let address = (header.address.text ?? "(anonymous)").padded(to: 17)
    let type = header.address.type.word.padded(to: 14)
    let level = header.reading.map { "\($0) dBm" } ?? "no RSSI"
    return "\(time)  \(style.strong(address))  \(type)  \(header.pdu.text.padded(to: 15))  \(level)"
  }
}

extension ReportHeader {
  /// What is not already in the headline or in the PDU's name.
  fileprivate func describe(in rows: inout TextRows) {
    if let directAddress {
      let note = properties.contains(.unresolvedTarget) ? " (not resolved)" : ""
      rows.row("for", "\(directAddress.text ?? "?") \(directAddress.type.word)\(note)")
    }
    guard properties.contains(.extendedEvent) else { return }
    let words = pdu == .extended ? extendedWords : transmitPowerWords
    if !words.isEmpty { rows.row("extended", words.joined(separator: ", ")) }
  }

  private var extendedWords: [String] {
    var words = [secondaryPHY.map { "PHY \(primaryPHY.text) and \($0.text)" } ?? "PHY \(primaryPHY.text)"]
    if let validAdvertisingSID { words.append("set \(validAdvertisingSID)") }
    words += transmitPowerWords
    if properties.contains(.connectable) { words.append("connectable") }
    if properties.contains(.scannable) { words.append("scannable") }
    if properties.contains(.scanResponse) { words.append("scan response") }
    return words
  }

  private var transmitPowerWords: [String] { transmitPower.map { ["TX power \($0) dBm"] } ?? [] }
}

extension AdvertisementFields {
  func describe(in rows: inout TextRows, _ style: TextStyle) {
    if let flags { rows.row("flags", Self.text(ofFlags: flags)) }
    if let name {
      rows.row("name", [name.text.terminal(columnsMax: 50)] + (name.isComplete ? [] : ["(shortened)"]))
    }
    if !services.isEmpty { rows.row("services", services.map(\.text)) }
    if !solicitations.isEmpty { rows.row("solicits", solicitations.map(\.text)) }
    for entry in manufacturerData {
      let vendor = style.vendor(entry.companyIdentifier).map { "(\($0)) " } ?? ""
      let company = Hex.digits(UInt64(entry.companyIdentifier), count: 4)
      rows.row("manufacturer", "0x\(company) \(vendor)\(Hex(entry.payload).text)")
    }
    for entry in serviceData { rows.row("service data", "\(entry.uuid.text) \(Hex(entry.payload).text)") }
    if let txPowerLevel { rows.row("TX power", "\(txPowerLevel) dBm") }
    if let appearance { rows.row("appearance", "0x\(Hex.digits(UInt64(appearance), count: 4))") }
    for structure in other {
      rows.row("type 0x\(Hex.digits(UInt64(structure.type), count: 2))", Hex(structure.value).text)
    }
    for malformation in malformations {
      rows.row("malformed", "\(malformation.kind.sentence) at byte \(malformation.offset)")
    }
  }

  /// The bits that are set, by name (Supplement to the Core Specification, Part A, 1.3).
  private static func text(ofFlags flags: UInt8) -> String {
    let names = [
      "limited discoverable", "general discoverable", "no BR/EDR", "LE and BR/EDR controller",
      "LE and BR/EDR host",
    ]
    let set = names.indices.filter { flags >> UInt8($0) & 1 != 0 }.map { names[$0] }
    let hex = "0x" + Hex.digits(UInt64(flags), count: 2)
    return set.isEmpty ? hex : "\(hex) (\(set.joined(separator: ", ")))"
  }
}

extension MalformedStructureError.Kind {
  fileprivate var sentence: String {
    switch self {
    case .lengthPastEnd: "a length past the end; the rest is lost,"
    case .dataAfterEnd: "data after the end; it is lost,"
    case .wrongSize: "a value of a size its type does not allow,"
    }
  }
}
