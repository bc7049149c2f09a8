// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import KnownNetworks

@Suite("Stores of known networks")
struct KnownNetworksTests {
  private static func profile(_ ssid: String, _ more: String = "mode=infrastructure") -> [UInt8] {
    Array(
      """
      [connection]
      id=ssid=not this
      type=wifi

      [wifi]
      \(more)
      ssid=\(ssid)

      [wifi-security]
      key-mgmt=wpa-psk
      psk=secret ssid
      """.utf8)
  }

  @Test(
    "NetworkManager's names are text, or bytes in decimal",
    arguments: [
      ("Cam 1", Array("Cam 1".utf8)), ("75;195;188;99;", [75, 195, 188, 99]), ("0;255;", [0, 255]),
      (#"97\\;0\\;98\\;"#, Array("97;0;98;".utf8)), (#"97\;0\;98\;"#, Array("97;0;98;".utf8)),
      ("0x610062", Array("0x610062".utf8)), (#"\sCam\s"#, Array(" Cam ".utf8)),
      (#"a\\\\b"#, Array(#"a\\b"#.utf8)),
      ("256;1;", Array("256;1;".utf8)), ("1;2", Array("1;2".utf8)), (";", Array(";".utf8)),
    ] as [(String, [UInt8])])
  func networkManager(text: String, expected: [UInt8]) {
    #expect(NetworkManagerProfile.ssid(in: Self.profile(text)) == expected)
  }

  @Test("A profile of an access point, of a cable, or without a name has none")
  func otherProfiles() {
    #expect(NetworkManagerProfile.ssid(in: Self.profile("Cam-1", "mode=ap")) == nil)
    #expect(NetworkManagerProfile.ssid(in: Array("[connection]\ntype=ethernet\nssid=Cam-1\n".utf8)) == nil)
    #expect(NetworkManagerProfile.ssid(in: Self.profile("")) == nil)
    #expect(
      NetworkManagerProfile.ssid(in: Array("[802-11-wireless]\nssid = Cam-1\n".utf8)) == Array("Cam-1".utf8))
  }

  private static let configuration = #"""
    ctrl_interface=/run/wpa_supplicant
    ssid="outside"
    network={
      ssid="Cam "1""
      psk="a secret"
      scan_ssid=1
    }
    network={
    	ssid=43616d2d00ff
    }
    network={
      ssid=P"Cam\x2d\0\377\e\n\"\\"
    }
    network={
      ssid=nothex
      #ssid="commented"
      bssid=00:11:22:33:44:55
    }
    """#

  @Test("wpa_supplicant's names are quoted, hexadecimal, or have escapes; others are left out")
  func wpaSupplicant() {
    #expect(
      WPASupplicantFile.ssids(in: Array(Self.configuration.utf8)) == [
        Array(#"Cam "1""#.utf8), [0x43, 0x61, 0x6D, 0x2D, 0x00, 0xFF],
        Array("Cam-".utf8) + [0x00, 0xFF, 0x1B, 0x0A, 0x22, 0x5C],
      ])
  }

  @Test(
    "iwd's names are those of its files",
    arguments: [
      ("Cam 1_a-b.psk", Array("Cam 1_a-b".utf8)), ("=43ff00.open", [0x43, 0xFF, 0x00]),
      ("Office.8021x", Array("Office".utf8)), ("=43f.psk", nil), ("=.psk", nil), ("Caf\u{E9}.psk", nil),
      (".psk", nil), ("hotspot", nil), ("Cam-1.psk.bak", nil),
    ] as [(String, [UInt8]?)])
  func iwd(file: String, expected: [UInt8]?) {
    #expect(HexadecimalName.ssid(ofIWDFile: file) == expected)
  }

  @Test(
    "Every prefix and every flipped bit of a store is read to its end, and gives names of any bytes or none")
  func damage() {
    let samples = [
      Self.profile("75;195;188;99;"), Self.profile(#"97\\;0\\;98\\;"#), Array(Self.configuration.utf8),
    ]
    for sample in samples {
      for count in 0...sample.count { read(Array(sample.prefix(count))) }
      for bit in 0..<sample.count * 8 {
        var flipped = sample
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        read(flipped)
      }
    }
  }

  private func read(_ bytes: [UInt8]) {
    for ssid in [NetworkManagerProfile.ssid(in: bytes)].compactMap(\.self)
      + WPASupplicantFile.ssids(in: bytes)
    {
      #expect(ssid.count <= bytes.count)
      #expect(!String(decoding: ssid, as: UTF8.self).contains("a secret\""), "no key is read")
    }
    _ = HexadecimalName.ssid(ofIWDFile: String(decoding: bytes, as: UTF8.self))
  }

  @Test("The stores are read together: each name once for each store, hidden and overlong ones left out")
  func source() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("known-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func write(_ bytes: [UInt8], _ path: String) throws {
      let file = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    let profiles = "etc/NetworkManager/system-connections"
    try write(Self.profile("Cam-1"), "\(profiles)/cam.nmconnection")
    try write(Self.profile("Cam-1"), "run/NetworkManager/system-connections/netplan.nmconnection")
    try write(Self.profile("0;0;"), "\(profiles)/hidden.nmconnection")
    try write(Self.profile("a name of more than thirty-two bytes"), "\(profiles)/long.nmconnection")
    try write(Self.profile("Other"), "\(profiles)/backup")
    try write(
      Array("network={\n ssid=\"Cam-1\"\n}\n".utf8), "etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
    try write([], "var/lib/iwd/Cam-2.psk")
    try write([], "\(profiles)/folder.nmconnection/file")
    let contents = KnownNetworkSource(root: root.path).read()
    let expected: [(String, KnownNetwork.Store)] = [
      ("Cam-1", .networkManager), ("Cam-1", .wpaSupplicant), ("Cam-2", .iwd),
    ]
    #expect(contents.networks == expected.compactMap { KnownNetwork(ssid: Array($0.0.utf8), store: $0.1) })
    #expect(contents.problems == [])
    #expect(KnownNetworkSource(root: root.path + "/none").read() == KnownNetworkSource.Contents())
  }
}
