// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Joins fragments of extended advertising. It has no capacity limit.
struct Chains {
  private struct Key: Hashable {
    var address: DeviceAddress
    var set: UInt8
    var isResponse: Bool
  }

  private var pending: [Key: (data: [UInt8], time: Int64)] = [:]

  /// The complete report, or nil while fragments are missing. A chain expires when its next fragment takes longer than
  /// 2.5 s.
  mutating func join(_ report: Report, at time: Int64) -> Report? {
    let header = report.header
    guard header.properties.contains(.extendedEvent) else { return report }
    let key = Key(
      address: header.address, set: header.advertisingSID,
      isResponse: header.properties.contains(.scanResponse))
    let before = pending[key].flatMap { (time - $0.time) / 1000 > 2500 ? nil : $0.data } ?? []
    guard header.dataStatus == .incomplete else {
      pending[key] = nil
      return Report(header: header, data: before + report.data)
    }
    pending[key] = (before + report.data, time)
    return nil
  }
}
