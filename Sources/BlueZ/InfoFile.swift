// SPDX-License-Identifier: GPL-3.0-or-later

package import HCI

/// A file `info` of a device in bluetoothd's folder: keys and values in groups (GLib's key file).
///
/// Lines that are neither a group nor a value are passed over. Of two values with the same name the later one holds.
package struct InfoFile {
  /// What bluetoothd writes for a device is far below.
  package static let byteCountMax = 1 << 16

  package private(set) var groups: [String: [String: String]] = [:]

  package init(_ text: String) {
    var group: String?
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("["), let end = line.lastIndex(of: "]") {
        let name = String(line[line.index(after: line.startIndex)..<end])
        group = name
        groups[name, default: [:]] = groups[name] ?? [:]
      } else if let group, let equals = line.firstIndex(of: "=") {
        groups[group]?[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
    }
  }

  package func value(_ name: String, of group: String) -> String? { groups[group]?[name] }
}

extension InfoFile {
  /// nil for a classic device, which has none.
  package var addressType: AddressType? {
    switch value("AddressType", of: "General") {
    case "public": .public
    case "static": .random
    default: nil
    }
  }
}
