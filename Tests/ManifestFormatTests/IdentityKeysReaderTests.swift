// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import ManifestFormat
import Testing

@Suite("Files of identity keys")
struct IdentityKeysReaderTests {
  /// The key of the Core Specification's sample data (5.4, Volume 3, Part H, D.7).
  private static let key = "ec0234a357c8ad05341010a60a397d9b"

  private static func read(_ entries: String) -> Reading<[IdentityKey]> {
    IdentityKeysReader.read(text: Array(("schema = 1\n" + entries).utf8), fileName: "k.toml")
  }

  private static func entry(
    address: String = "C0:11:22:33:44:55", type: String = "random", key: String = key
  ) -> String {
    "[[identity]]\naddress = \"\(address)\"\naddress-type = \"\(type)\"\nirk = \"\(key)\"\n"
  }

  @Test("The specification's key resolves the specification's address")
  func sampleData() throws {
    let reading = Self.read(Self.entry())
    #expect(reading.lines == [])
    let key = try #require(reading.value?.first)
    #expect(key.identity == DeviceAddress(bits: 0xC011_2233_4455, type: .random))
    // prand 0x708194, hash 0x0dfbaa
    #expect(key.resolves(DeviceAddress(bits: 0x7081_940D_FBAA, type: .random)))
    #expect(!key.resolves(DeviceAddress(bits: 0x7081_940D_FBAB, type: .random)))
  }

  @Test("A file without identities is good")
  func none() { #expect(Self.read("").value == []) }

  @Test(
    "A mistake is named with its cure, and the key is not shown",
    arguments: [
      (
        entry(key: "ec02"),
        "k.toml:5: identity[0].irk: the key does not fit; it must be 32 hexadecimal digits, the most significant byte first"
      ),
      (
        entry(key: String(repeating: "0", count: 32)),
        "k.toml:5: identity[0].irk: a key of zeros identifies nothing; write the device's own identity resolving key"
      ),
      (
        entry(address: "C0-11-22-33-44-55"),
        "k.toml:3: identity[0].address: \"C0-11-22-33-44-55\" does not fit; it must be an address as \"AA:BB:CC:DD:EE:FF\""
      ),
      (
        entry(address: "40:11:22:33:44:55"),
        "k.toml:3: identity[0].address: a private address is no identity; write the public address, or the static random one, which begins C to F"
      ),
      (
        entry(type: "static"),
        "k.toml:4: identity[0].address-type: \"static\" is not known; use \"public\" or \"random\""
      ),
      (
        "[[identity]]\naddress = \"C0:11:22:33:44:55\"\nirk = \"\(key)\"\n",
        "k.toml:2: identity[0]: address-type is missing; add it"
      ),
      (
        entry() + entry(),
        "k.toml:7: identity[1].address: the file has the address twice; keep one key for it"
      ),
    ])
  func mistakes(text: String, line: String) {
    let reading = Self.read(text)
    #expect(reading.lines == [line])
    #expect(reading.value == nil)
  }

  @Test("Every prefix and every flipped bit gives keys or errors")
  func damaged() {
    let text = Array(("schema = 1\n" + Self.entry()).utf8)
    for end in text.indices { _ = IdentityKeysReader.read(text: Array(text[..<end]), fileName: "k") }
    for index in text.indices {
      for bit in 0..<8 {
        var damaged = text
        damaged[index] ^= 1 << bit
        _ = IdentityKeysReader.read(text: damaged, fileName: "k")
      }
    }
  }
}
