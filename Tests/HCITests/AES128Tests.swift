// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing

@Suite("AES-128")
struct AES128Tests {
  @Test("The cipher example of FIPS-197, appendix B")
  func appendixB() {
    let key = Block128(high: 0x2B7E_1516_28AE_D2A6, low: 0xABF7_1588_09CF_4F3C)
    let plain = Block128(high: 0x3243_F6A8_885A_308D, low: 0x3131_98A2_E037_0734)
    #expect(
      AES128.encrypt(plain, key: key) == Block128(high: 0x3925_841D_02DC_09FB, low: 0xDC11_8597_196A_0B32))
  }

  @Test("The example vector of FIPS-197, appendix C.1")
  func appendixC() {
    let key = Block128(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
    let plain = Block128(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    #expect(
      AES128.encrypt(plain, key: key) == Block128(high: 0x69C4_E0D8_6A7B_0430, low: 0xD8CD_B780_70B4_C55A))
  }

  @Test("The session key of the Core Specification's sample (5.4, Volume 6, Part C, 1)")
  func coreSpecification() {
    let key = Block128(high: 0x4C68_3841_39F5_74D8, low: 0x36BC_F34E_9DFB_01BF)
    let plain = Block128(high: 0x0213_2435_4657_6879, low: 0xACBD_CEDF_E0F1_0213)
    #expect(
      AES128.encrypt(plain, key: key) == Block128(high: 0x99AD_1B52_26A3_7E3E, low: 0x058E_3B8E_27C2_C666))
  }

  @Test("A block gives back the words it was made of")
  func words() {
    let block = Block128(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
    #expect(block.high == 0x0102_0304_0506_0708 && block.low == 0x090A_0B0C_0D0E_0F10)
    #expect(block == Block128(bytes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]))
  }
}
