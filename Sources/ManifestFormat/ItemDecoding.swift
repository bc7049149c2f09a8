// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Manifest

extension DisplayItem {
  init(_ table: TableReader<ItemKey>) {
    let name = table.name(.name, byteCountMax: 128)
    table.require(.name)
    self.init(id: Self.id(in: table, name: name), name: name ?? "")
    productImage = table.text(.productImage)
    table.read(.select, into: &selection)
    pairing = table.word(.pairing)
    setupOptions = table.options(.setupOptions, SetupOptions.names) ?? []
    renameOptions = table.options(.renameOptions, RenameOptions.names) ?? []
    table.read(.maxAccessories, into: &maxAccessories, in: 1...1000)
    descriptor = DiscoveryDescriptor(table.table(.descriptor))
    if table.node(.alternate) != nil { alternate = DiscoveryDescriptor(table.table(.alternate)) }
    gate.read(table.table(.gate))
    gate.isImmediate = descriptor.range == .immediate
    changedIntervalMilliseconds = table.integer(.changedInterval, in: 50...3_600_000)
    gate.txPower = table.integer(.txPower, in: -40...20)
  }

  /// Returns the table's id, or else a slug of the name.
  private static func id(in table: TableReader<ItemKey>, name: String?) -> String {
    guard table.node(.id) == nil else {
      return table.value(.id, .identifier) { $0.isIdentifier ? $0 : nil } ?? ""
    }
    guard let name else { return "" }
    let slug = name.slug
    if !slug.isIdentifier { table.report(.noIdentifierInName(name), at: .name) }
    return slug
  }
}

extension GateSettings {
  fileprivate mutating func read(_ table: TableReader<GateKey>) {
    table.read(.enterRSSI, into: &enterRSSI, in: -127...20)
    table.read(.leaveRSSI, into: &leaveRSSI, in: -127...20)
    table.read(.enterPathLoss, into: &enterPathLoss, in: 0...150)
    table.read(.leavePathLoss, into: &leavePathLoss, in: 0...150)
    table.read(.enterDwell, into: &enterDwellMilliseconds, in: 0...600_000)
    table.read(.leaveDwell, into: &leaveDwellMilliseconds, in: 0...600_000)
    table.read(.samplesMin, into: &samplesMin, in: 1...16)
    table.read(.sampleWindow, into: &sampleWindowMilliseconds, in: 100...600_000)
    table.read(.sampleWindowMax, into: &sampleWindowMillisecondsMax, in: 100...600_000)
    table.read(.silence, into: &silenceMilliseconds, in: 100...3_600_000)
    table.read(.silenceMax, into: &silenceMillisecondsMax, in: 100...3_600_000)
    table.read(.lost, into: &lostMilliseconds, in: 100...86_400_000)
    table.read(.lostMax, into: &lostMillisecondsMax, in: 100...345_600_000)
  }
}

extension SetupOptions {
  fileprivate static let names: [(String, SetupOptions)] = [
    ("rename", .rename), ("confirmAuthorization", .confirmAuthorization), ("finishInApp", .finishInApp),
  ]
}

extension RenameOptions {
  fileprivate static let names: [(String, RenameOptions)] = [("ssid", .ssid)]
}
