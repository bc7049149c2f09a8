// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Joins fragments of extended advertising in memory without end.
struct Chains {
  private struct Key: Hashable {
    var address: DeviceAddress
    var set: UInt8
    var isResponse: Bool
  }

  private var begun: [Key: (data: [UInt8], time: Int64)] = [:]

  /// A whole report, or nil for a part of one. A chain that waits longer than 2.5 s is forgotten.
  mutating func join(_ report: Report, at time: Int64) -> Report? {
    let header = report.header
    guard header.properties.contains(.extendedEvent) else { return report }
    let key = Key(
      address: header.address, set: header.advertisingSID,
      isResponse: header.properties.contains(.scanResponse))
    let before = begun[key].flatMap { (time - $0.time) / 1000 > 2500 ? nil : $0.data } ?? []
    guard header.dataStatus == .incomplete else {
      begun[key] = nil
      return Report(header: header, data: before + report.data)
    }
    begun[key] = (before + report.data, time)
    return nil
  }
}
