// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport

/// Reads AD structures: in order, inside the payload, at least two bytes each, with at most one loss that ends it.
func fuzzPayload(_ bytes: RawSpan) {
  let reading = PayloadReading(borrowing: bytes)
  precondition(reading.steps <= bytes.byteCount / 2 + 2, "unbounded work")
  var end = 0
  for structure in reading.structures {
    precondition(structure.offset == end, "a structure out of place")
    end += 1 + Int(bytes.uint8(at: structure.offset))
  }
  precondition(end <= bytes.byteCount, "a structure outside its payload")
  let fatal = reading.malformations.filter { $0.kind != .wrongSize }
  precondition(fatal.count <= 1 && (fatal.isEmpty || reading.malformations.last == fatal.first))
  precondition(reading.malformations.allSatisfy { $0.offset < bytes.byteCount })
}
