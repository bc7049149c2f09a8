// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistrySupport
import Testing

@testable import Agent

@Suite("How safe a link has to be")
struct LinkSecurityTests {
  private static func bond(isAuthenticated: Bool, keyByteCount: UInt8 = 16) -> BondRecord {
    var bond = Rows.bond(isAuthenticated: isAuthenticated)
    bond.keys.longTermKeys[0].byteCount = keyByteCount
    return bond
  }

  @Test(
    "The level follows from what the manifest demands",
    arguments: [
      (false, false, LinkSecurity.Level.medium), (false, true, .high), (true, false, .medium),
      (true, true, .high),
    ])
  func level(isAuthenticated: Bool, isDemanded: Bool, level: LinkSecurity.Level) {
    let security = LinkSecurity(
      Self.bond(isAuthenticated: isAuthenticated), demandsAuthentication: isDemanded)
    #expect(security.level == level && security.isEncrypted && security.keyByteCount == 16)
  }

  @Test(
    "The key has to be as long as that of the bond; one of bluetoothd whose size is not known needs 16 bytes")
  func keySize() {
    let short = LinkSecurity(
      Self.bond(isAuthenticated: false, keyByteCount: 7), demandsAuthentication: false)
    #expect(short.keyByteCount == 7)
    let unknown = LinkSecurity(Rows.foreignBond, demandsAuthentication: false)
    #expect(unknown.keyByteCount == 16)
    #expect(unknown.judge(level: 2, keyByteCount: 15) == .isUnsafe)
    #expect(unknown.judge(level: 2, keyByteCount: 16) == .isSafe)
    var known = Rows.foreignBond
    known.foreignKeyByteCount = 12
    #expect(LinkSecurity(known, demandsAuthentication: false).keyByteCount == 12)
  }

  /// What the kernel says of a link: its level (1 unencrypted, 2 encrypted, 3 authenticated, 4 also with Secure
  /// Connections), and the size of its key.
  @Test(
    "A link with less than what was asked for is unsafe; one whose key is gone has ended",
    arguments: [
      // An unauthenticated bond with a key of 16 bytes.
      (LinkSecurity.Level.medium, 16, 1, 0, LinkSecurity.Verdict.isUnsafe), (.medium, 16, 0, 0, .isUnsafe),
      (.medium, 16, 2, 16, .isSafe), (.medium, 16, 3, 16, .isSafe), (.medium, 16, 4, 16, .isSafe),
      (.medium, 16, 2, 15, .isUnsafe), (.medium, 16, 2, 7, .isUnsafe), (.medium, 16, 2, 0, .hasEnded),
      // An authenticated one.
      (.high, 16, 1, 16, .isUnsafe), (.high, 16, 2, 16, .isUnsafe), (.high, 16, 3, 16, .isSafe),
      (.high, 16, 4, 16, .isSafe), (.high, 16, 4, 7, .isUnsafe), (.high, 16, 3, 0, .hasEnded),
      // A bond with a short key.
      (.medium, 7, 2, 7, .isSafe), (.medium, 7, 2, 6, .isUnsafe), (.medium, 7, 2, 16, .isSafe),
      // No bond.
      (.low, 0, 1, 0, .isSafe), (.low, 0, 2, 16, .isSafe),
    ] as [(LinkSecurity.Level, UInt8, UInt8, UInt8, LinkSecurity.Verdict)])
  func verdict(
    level: LinkSecurity.Level, keyByteCount: UInt8, found: UInt8, foundByteCount: UInt8,
    verdict: LinkSecurity.Verdict
  ) {
    let security = LinkSecurity(level: level, keyByteCount: keyByteCount)
    #expect(security.judge(level: found, keyByteCount: foundByteCount) == verdict)
  }
}
