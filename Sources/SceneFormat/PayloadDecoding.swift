// SPDX-License-Identifier: GPL-3.0-or-later

import ManifestFormat
import VirtualRadio

/// The payloads of a list of AD structures: one, or several that take turns.
struct PayloadTurns {
  /// Not empty.
  let payloads: [AdvertisingPayload]

  init(_ table: TableReader<DeviceKey>, _ key: DeviceKey, byteCountMax: Int) {
    let structures = table.tables(key, of: StructureKey.self).map { ($0, StructureTurns($0)) }
    var count = 1
    for case (let place, let structure?) in structures where structure.turns.count > 1 {
      if count > 1 && structure.turns.count != count {
        place.reportMissing(.turnsDiffer(count, structure.turns.count))
      }
      count = structure.turns.count
    }
    payloads = (0..<count).map { turn in
      structures.reduce(AdvertisingPayload()) { payload, structure in
        guard let turns = structure.1?.turns else { return payload }
        return payload.raw(turns[turn % turns.count].bytes)
      }
    }
    let longest = payloads.map(\.bytes.count).max() ?? 0
    if longest > byteCountMax {
      table.report(.tooLong(byteCount: longest, byteCountMax: byteCountMax), at: key)
    }
  }

  /// The first: a scan response does not take turns.
  var single: AdvertisingPayload { payloads[0] }
}

extension PayloadScript {
  /// Nil when the payload takes turns and the table does not say how long they are.
  init?(_ table: TableReader<DeviceKey>, byteCountMax: Int) {
    let turns = PayloadTurns(table, .payload, byteCountMax: byteCountMax).payloads
    let turn = table.milliseconds(.turn, in: 1...86_400_000)
    guard turns.count > 1 else {
      self.init(turns[0])
      return
    }
    if table.node(.turn) == nil { table.reportMissing(.noTurn) }
    guard let turn else { return nil }
    self.init(cycle: turns, turnMilliseconds: turn)
  }
}
