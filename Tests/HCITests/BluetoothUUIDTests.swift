// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Service UUIDs")
struct BluetoothUUIDTests {
  func uuid(_ bytes: [UInt8]) -> BluetoothUUID { BluetoothUUID(bytes: bytes.rawSpan) }

  @Test("All three sizes of one UUID are the same UUID")
  func sizes() {
    let short = BluetoothUUID(short: 0xFE0F)
    #expect(short == BluetoothUUID(high: 0x0000_FE0F_0000_1000, low: 0x8000_0080_5F9B_34FB))
    #expect(uuid(hex("0F FE")) == short)
    #expect(uuid(hex("0F FE 00 00")) == short)
    #expect(uuid(hex("FB 34 9B 5F 80 00 00 80 00 10 00 00 0F FE 00 00")) == short)
  }

  @Test("A UUID on the base UUID gives its alias back; one bit off it gives none")
  func alias() {
    #expect(BluetoothUUID(short: 0x1234_5678).short == 0x1234_5678)
    let base = hex("FB 34 9B 5F 80 00 00 80 00 10 00 00 0F FE 00 00")
    withEveryBitFlip(of: base) { bytes, damage in
      #expect((uuid(bytes).short == nil) == (damage.offset < 12), "\(damage)")
    }
  }
}
