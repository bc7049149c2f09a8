// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("AD structures")
struct ADStructuresTests {
  @Test("Structures come in order, each with where it starts")
  func order() {
    let reading = PayloadReading(hex("02 01 06  05 09 4C 75 6D 6F  02 0A F4"))
    #expect(reading.structures.map(\.type) == [0x01, 0x09, 0x0A])
    #expect(reading.structures.map(\.offset) == [0, 3, 9])
    #expect(reading.malformations == [])
  }

  @Test("A payload without bytes has no structures and no fault")
  func none() {
    let reading = PayloadReading([])
    #expect(reading.structures == [] && reading.malformations == [] && reading.steps == 1)
  }

  @Test("A zero length ends the payload; zeros after it are padding")
  func padding() {
    let reading = PayloadReading(Payloads.padded.bytes)
    #expect(reading.structures.map(\.type) == [0x01, 0x03])
    #expect(reading.malformations == [])
    #expect(PayloadReading([UInt8](repeating: 0, count: 31)).malformations == [])
  }

  @Test("Other bytes after the end are lost, and the first of them is named")
  func dataAfterEnd() {
    let reading = PayloadReading(Payloads.dataAfterEnd.bytes)
    #expect(reading.structures.map(\.type) == [0x01])
    #expect(reading.malformations == [MalformedStructureError(offset: 5, kind: .dataAfterEnd)])
  }

  @Test("A length past the end loses itself and the rest, not what came before")
  func lengthPastEnd() {
    let reading = PayloadReading(Payloads.lengthPastEnd.bytes)
    #expect(reading.values == [.flags(6)])
    #expect(reading.malformations == [MalformedStructureError(offset: 3, kind: .lengthPastEnd)])
  }

  @Test("A length of 255 fills 256 bytes exactly")
  func longest() {
    let bytes = [255, 0xFF] + [UInt8](repeating: 7, count: 254)
    #expect(PayloadReading(bytes).malformations == [])
    #expect(
      PayloadReading(bytes).values == [
        .manufacturerData(companyIdentifier: 0x0707, [UInt8](repeating: 7, count: 252))
      ])
    #expect(
      PayloadReading(bytes.dropLast()).malformations == [
        MalformedStructureError(offset: 0, kind: .lengthPastEnd)
      ])
  }

  @Test("A cut loses the structure it falls into; those before read as before", arguments: Payloads.good)
  func cuts(fixture: Fixture) {
    let whole = PayloadReading(fixture.bytes)
    withEveryPrefix(of: fixture.bytes) { payload, damage in
      let reading = PayloadReading(payload)
      let intact = whole.structures.filter { end(of: $0, in: fixture.bytes) <= payload.count }
      #expect(reading.structures == intact, "\(damage)")
      let reached = intact.last.map { end(of: $0, in: fixture.bytes) } ?? 0
      let isClean = payload[reached...].allSatisfy { $0 == 0 }
      #expect(
        reading.malformations
          == (isClean ? [] : [MalformedStructureError(offset: reached, kind: .lengthPastEnd)]),
        "\(damage)")
    }
  }

  @Test("Structures that end before a flipped bit read as before, in bounded work", arguments: Payloads.all)
  func bitFlips(fixture: Fixture) {
    let whole = PayloadReading(fixture.bytes)
    withEveryBitFlip(of: fixture.bytes) { payload, damage in
      let reading = PayloadReading(payload)
      let intact = whole.structures.count { end(of: $0, in: fixture.bytes) <= damage.offset }
      #expect(reading.structures.prefix(intact) == whole.structures.prefix(intact), "\(damage)")
      #expect(reading.structures.count <= payload.count / 2, "\(damage)")
      #expect(reading.steps <= payload.count / 2 + 2, "\(damage)")
      #expect(reading.malformations.allSatisfy { payload.indices.contains($0.offset) }, "\(damage)")
    }
  }

  @Test("No bytes at all take more steps than two each", arguments: [UInt8.min, 1, 2, 3, 30, 255])
  func monotony(byte: UInt8) {
    let payload = [UInt8](repeating: byte, count: 1650)
    #expect(PayloadReading(payload).steps <= 1650 / 2 + 2)
  }

  func end(of structure: PayloadReading.Structure, in payload: [UInt8]) -> Int {
    structure.offset + 1 + Int(payload[structure.offset])
  }
}
