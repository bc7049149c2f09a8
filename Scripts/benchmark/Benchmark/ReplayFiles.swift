// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import HCI
import JSON
import LinuxSystem
import Manifest
import ToolSystem

/// The files for measuring `accessoryctl`: the stream as a capture, and descriptors as a manifest.
enum ReplayFiles {
  /// Writes a file to standard output.
  static func write(_ bytes: [UInt8]) throws {
    var output = OutputFile.standardOutput()
    try output.write(bytes)
    try output.flush()
  }

  /// A btsnoop file with every packet of a stream, a millisecond apart.
  static func capture(_ stream: borrowing Stream) -> [UInt8] {
    var file: [UInt8] = []
    let header = Btsnoop.header(.h4)
    for index in header.indices { file.append(header[index]) }
    let flags = Btsnoop.flags(.h4, kind: .event, isReceived: true)
    for index in 0..<stream.count {
      let packet = stream.bytes[stream.starts[index]..<stream.starts[index + 1]]
      let time = Instant(microseconds: 1_700_000_000_000_000 + Int64(index) * 1000)
      let record = Btsnoop.recordHeader(byteCount: packet.count, flags: flags, time: time)
      for place in record.indices { file.append(record[place]) }
      file += packet
    }
    return file
  }

  /// A manifest with the clauses that the benchmark's descriptors have.
  static func manifest(_ manifest: GatewayManifest) -> String {
    let items = manifest.apps[0].items
    let companies = Set(items.compactMap(\.descriptor.companyIdentifier)).sorted().map(company)
    let services = Set(items.compactMap { $0.descriptor.serviceUUID.map(IdentifierText.text) }).sorted()
    let names = Set(items.compactMap { $0.descriptor.nameSubstring.map(text) }).sorted()
    var lines = [
      "schema = 1", "[app.benchmark]", "user = \"daemon\"", "supports = [\"Bluetooth\"]",
      "bluetooth-company-identifiers = [\(list(companies))]", "bluetooth-services = [\(list(services))]",
      "bluetooth-names = [\(list(names))]",
    ]
    for item in items {
      lines += [
        "[[app.benchmark.item]]", "id = \"\(item.id)\"", "name = \"\(item.name)\"",
      ]
      lines += clauses(of: item.descriptor).map { "descriptor.\($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func clauses(of descriptor: DiscoveryDescriptor) -> [String] {
    var lines: [String] = []
    if let identifier = descriptor.companyIdentifier {
      lines.append("bluetooth-company-identifier = \"\(company(identifier))\"")
    }
    if let data = descriptor.manufacturerData {
      lines.append("bluetooth-manufacturer-data-blob = \"\(Hex(data.blob).text)\"")
      lines.append("bluetooth-manufacturer-data-mask = \"\(Hex(data.mask).text)\"")
    }
    if let service = descriptor.serviceUUID {
      lines.append("bluetooth-service-uuid = \"\(IdentifierText.text(of: service))\"")
    }
    if let data = descriptor.serviceData {
      lines.append("bluetooth-service-data-blob = \"\(Hex(data.blob).text)\"")
      lines.append("bluetooth-service-data-mask = \"\(Hex(data.mask).text)\"")
    }
    if let name = descriptor.nameSubstring { lines.append("bluetooth-name-substring = \"\(text(name))\"") }
    return lines
  }

  private static func company(_ identifier: UInt16) -> String {
    "0x" + Hex([UInt8(identifier >> 8), UInt8(identifier & 0xFF)]).text
  }

  private static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

  private static func list(_ values: [String]) -> String {
    values.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}
