// SPDX-License-Identifier: GPL-3.0-or-later

import ManifestFormat
import Testing

@Suite("The digest of a manifest")
struct ManifestDigestTests {
  /// The messages of NIST's examples for SHA-256, and the empty one of its byte-oriented vectors.
  private static let vectors: [(String, String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ]

  @Test("It is SHA-256", arguments: vectors)
  func isSHA256(message: String, digest: String) {
    #expect(ManifestDigest.text(of: Array(message.utf8)) == digest)
  }

  @Test("A million bytes")
  func million() {
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(
      ManifestDigest.text(of: bytes) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  /// The padding fits in the last block, or needs another one.
  @Test("Every length around the end of a block has its own digest")
  func lengths() {
    let digests = (50..<140).map { ManifestDigest.text(of: [UInt8](repeating: 0, count: $0)) }
    #expect(Set(digests).count == digests.count)
    // Computed with sha256sum.
    #expect(digests[55 - 50] == "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7")
    #expect(digests[56 - 50] == "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb")
    #expect(digests[64 - 50] == "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b")
  }
}
