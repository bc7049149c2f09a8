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
    #expect(NetworkManagerProfile.names(in: Self.profile(text)).names == [expected])
  }

  @Test(
    "A profile of another type or of an access point has no network, and is not damaged",
    arguments: [
      "[connection]\ntype=ethernet\nssid=Cam-1\n", "[connection]\ntype=bridge\n[wifi]\nssid=Cam-1\n",
      "[ethernet]\nmtu=1400\n", "[wifi]\nmode=ap\nssid=Cam-1\n", "# a comment\n[vpn]\n\n",
    ])
  func otherProfiles(text: String) {
    #expect(NetworkManagerProfile.names(in: Array(text.utf8)) == StoredNames())
  }

  @Test(
    "A wireless profile has its network, in either spelling",
    arguments: [
      "[802-11-wireless]\nssid = Cam-1\n", "[connection]\ntype=802-11-wireless\n[wifi]\nmode=\nssid=Cam-1\n",
      "[connection]\r\ntype=wifi\r\n[wifi]\r\nssid=Cam-1\r\n",
    ])
  func wirelessProfiles(text: String) {
    let found = NetworkManagerProfile.names(in: Array(text.utf8))
    #expect(found.names == [Array("Cam-1".utf8)])
    #expect(!found.isDamaged)
  }

  @Test(
    "A profile whose network cannot be read is damaged",
    arguments: [
      ("[connection\ntype=wifi\n", []), ("[connection]\ntype=wifi\n[wifi\nssid=Cam-1\n", []),
      ("[connection\ntype=wifi\n[wifi]\nssid=Cam-1\n", ["Cam-1"]), ("", []), ("no key file", []),
      ("[connection]\ntype=wifi\n[wifi]\nssid=\n", []), ("[wifi]\nssid=0;0;\n", []),
      ("[wifi]\nssid=a name of fifty-one bytes, which is longer than any nam\n", []),
      ("[wifi]\nmode=infrastruct\nssid=Cam-1\n", ["Cam-1"]),
    ] as [(String, [String])])
  func damagedProfiles(text: String, names: [String]) {
    let found = NetworkManagerProfile.names(in: Array(text.utf8))
    #expect(found.names == names.map { Array($0.utf8) })
    #expect(found.isDamaged)
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

  @Test("wpa_supplicant's names are quoted, hexadecimal, or have escapes; others are damage")
  func wpaSupplicant() {
    let found = WPASupplicantFile.names(in: Array(Self.configuration.utf8))
    #expect(found.isDamaged)
    #expect(
      found.names == [
        Array(#"Cam "1""#.utf8), [0x43, 0x61, 0x6D, 0x2D, 0x00, 0xFF],
        Array("Cam-".utf8) + [0x00, 0xFF, 0x1B, 0x0A, 0x22, 0x5C],
      ])
  }

  @Test(
    "A configuration is damaged when a name or a block cannot be read, and the others are kept",
    arguments: [
      ("network={\n ssid=\"A\"\n}\nnetwork={\n psk=\"any\"\n}\nautoscan=periodic:10\n", false),
      ("network={\n ssid=\"A\"\n}\nnetwork={\n ssid=\"no end\n}\n", true),
      ("network={\n ssid=\"A\"\n}\network={\n ssid=\"B\"\n}\n", true),
      ("network={\n ssid=\"A\"\nnetwork={\n}\n", true), ("network={\n ssid=\"A\"\n", true),
    ])
  func damagedConfigurations(text: String, isDamaged: Bool) {
    let found = WPASupplicantFile.names(in: Array(text.utf8))
    #expect(found.names == [[0x41]])
    #expect(found.isDamaged == isDamaged)
  }

  @Test(
    "A network of wpa_supplicant that the machine does not join has no name, and is not damaged",
    arguments: [
      ("mode=2\n ssid=\"Own\"", [], false), ("ssid=\"Own\"\n mode=2 # access point", [], false),
      ("ssid=\"Own\"\n mode=1", [], false), ("mode=5\n ssid=\"Own\"", [], false),
      ("mode=2\n ssid=zz", [], false), ("mode=0\n ssid=\"Cam-1\"", ["Cam-1"], false),
      ("ssid=\"DIRECT-xy\"\n disabled=2 # a group", [], false), ("disabled=2\n ssid=zz", [], false),
      ("disabled=1\n ssid=\"Cam-1\"", ["Cam-1"], false), ("disabled=21\n ssid=\"Cam-1\"", ["Cam-1"], false),
      ("mode=ap\n ssid=\"Cam-1\"", ["Cam-1"], true), ("#mode=2\n ssid=\"Cam-1\"", ["Cam-1"], false),
    ] as [(String, [String], Bool)])
  func otherModes(text: String, expected: [String], isDamaged: Bool) {
    let found = WPASupplicantFile.names(in: Array("network={\n \(text)\n}\nnetwork={\n ssid=\"A\"\n}\n".utf8))
    #expect(found.names == (expected + ["A"]).map { Array($0.utf8) })
    #expect(found.isDamaged == isDamaged)
  }

  @Test(
    "iwd's names are those of its files",
    arguments: [
      ("Cam 1_a-b.psk", Array("Cam 1_a-b".utf8), false), ("=43ff00.open", [0x43, 0xFF, 0x00], false),
      ("Office.8021x", Array("Office".utf8), false), ("=43f.psk", nil, true), ("=.psk", nil, true),
      ("=zz.psk", nil, true), ("Caf\u{E9}.psk", nil, true), (".psk", nil, true), ("hotspot", nil, false),
      ("Cam-1.psk.bak", nil, false), (".known_network.freq", nil, false),
    ] as [(String, [UInt8]?, Bool)])
  func iwd(file: String, expected: [UInt8]?, isDamaged: Bool) {
    let found = HexadecimalName.names(ofIWDFile: file)
    #expect(found.names == [expected].compactMap(\.self))
    #expect(found.isDamaged == isDamaged)
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
    for ssid in NetworkManagerProfile.names(in: bytes).names + WPASupplicantFile.names(in: bytes).names {
      #expect(ssid.count <= bytes.count)
      #expect(!String(decoding: ssid, as: UTF8.self).contains("a secret\""), "no key is read")
    }
    _ = HexadecimalName.names(ofIWDFile: String(decoding: bytes, as: UTF8.self))
  }

  @Test(
    "The stores are read together: each name once for each store, and a problem for each file that cannot be read"
  )
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
    let large = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 18 + 1)
    try write(Self.profile("Cam-1"), "\(profiles)/cam.nmconnection")
    try write(Self.profile("Cam-1"), "run/NetworkManager/system-connections/netplan.nmconnection")
    try write(Self.profile("a name of more than thirty-two bytes"), "\(profiles)/long.nmconnection")
    try write(Self.profile("Cam-1") + large, "\(profiles)/large.nmconnection")
    try write(Array("[connection]\ntype=ethernet\n".utf8), "\(profiles)/cable.nmconnection")
    try write(Self.profile("Other"), "\(profiles)/backup")
    try write(
      Array("network={\n ssid=\"Cam-1\"\n}\nnetwork={\n ssid=\"a secret\n}\n".utf8),
      "etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
    try write(large, "etc/wpa_supplicant/wpa_supplicant.conf")
    try write([], "var/lib/iwd/Cam-2.psk")
    try write([], "var/lib/iwd/=zz.psk")
    try write([], "\(profiles)/folder.nmconnection/file")
    let contents = KnownNetworkSource(root: root.path).read()
    let expected: [(String, KnownNetwork.Store)] = [
      ("Cam-1", .networkManager), ("Cam-1", .wpaSupplicant), ("Cam-2", .iwd),
    ]
    #expect(contents.networks == expected.compactMap { KnownNetwork(ssid: Array($0.0.utf8), store: $0.1) })
    let name = "is damaged: it has a network whose name cannot be read"
    let size = "cannot be read: it is larger than 256 KiB"
    #expect(
      contents.problems.map { $0.sentence.replacingOccurrences(of: root.path + "/", with: "") }.sorted() == [
        "\(profiles)/folder.nmconnection cannot be read: it is a folder",
        "\(profiles)/large.nmconnection \(size)", "\(profiles)/long.nmconnection \(name)",
        "etc/wpa_supplicant/wpa_supplicant-wlan0.conf \(name)",
        "etc/wpa_supplicant/wpa_supplicant.conf \(size)", "var/lib/iwd/=zz.psk \(name)",
      ])
    let missing = KnownNetworkSource(root: root.path + "/none").read()
    #expect(missing.networks.isEmpty)
    #expect(
      missing.problems.map(\.sentence) == [root.path + "/none cannot be read: No such file or directory"])
    #expect(KnownNetworkSource(root: root.path + "/var").read() == KnownNetworkSource.Contents())
  }
}
