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

  @Test(
    "A key is read in each of its forms",
    arguments: [
      key.uppercased(), "irk:" + key, "IRK:0x" + key, "0x" + key, " " + key + " ",
      "EC:02:34:A3:57:C8:AD:05:34:10:10:A6:0A:39:7D:9B", "ec-02-34-a3-57-c8-ad-05-34-10-10-a6-0a-39-7d-9b",
      "0xEC,0x02,0x34,0xA3,0x57,0xC8,0xAD,0x05,0x34,0x10,0x10,0xA6,0x0A,0x39,0x7D,0x9B",
      "0xec0x020x340xa30x570xc80xad0x050x340x100x100xa60x0a0x390x7d0x9b",
      "7AI0o1fIrQU0EBCmCjl9mw==", "7AI0o1fIrQU0EBCmCjl9mw", "irk:m305CqYQEDQFrchXozQC7A==",
    ])
  func forms(written: String) throws {
    let reading = Self.read(Self.entry(key: written))
    #expect(reading.lines == [])
    let address = DeviceAddress(bits: 0x7081_940D_FBAA, type: .random)
    // Base64 is written in either order.
    #expect(try #require(reading.value).count(where: { $0.resolves(address) }) == 1)
  }

  @Test("A key in the reverse order resolves nothing until it is reversed")
  func reversed() throws {
    let key = try #require(Self.read(Self.entry(key: "9b7d390aa610103405adc857a33402ec")).value?.first)
    let address = DeviceAddress(bits: 0x7081_940D_FBAA, type: .random)
    #expect(!key.resolves(address) && key.reversed.resolves(address) && key.reversed.reversed == key)
  }

  @Test("Base64 for URLs is read as well")
  func base64ForURLs() throws {
    let readings = ["+/+//7AI0o1fIrQU0EBCmA==", "-_-__7AI0o1fIrQU0EBCmA"].map {
      Self.read(Self.entry(key: $0))
    }
    #expect(readings[0].value?.count == 2 && readings[0].value == readings[1].value, "\(readings[1].lines)")
  }

  @Test("A file without identities is good")
  func none() { #expect(Self.read("").value == []) }

  @Test(
    "A mistake is named with its cure, and the key is not shown",
    arguments: [
      (
        entry(key: "ec02"),
        "k.toml:5: identity[0].irk: the key has 4 hexadecimal digits, and a key has 32; write 32 hexadecimal digits, the most significant byte first, or the 24 characters of base64"
      ),
      (
        entry(key: "c0234a357c8ad05341010a60a397d9b"),
        "k.toml:5: identity[0].irk: the key has 31 hexadecimal digits, and a key has 32; a zero in front is left out where numbers are printed: write each byte with two digits"
      ),
      (
        entry(key: "7AI0o1fIrQU0EBCmCjl9"),
        "k.toml:5: identity[0].irk: the key does not fit; write 32 hexadecimal digits, the most significant byte first, or the 24 characters of base64"
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
