// SPDX-License-Identifier: GPL-3.0-or-later

/// Made-up information elements of networks.
public enum NetworkElements {
  /// A network with WPA2.
  public static let wpa2 = Fixture(
    "WPA2",
    hex(
      """
      00 05 43 61 6D 2D 31     // SSID: Cam-1
      01 04 82 84 8B 96        // rates
      03 01 06                 // channel 6
      30 14 01 00              // RSN, version 1
      00 0F AC 04              // group cipher CCMP
      01 00 00 0F AC 04        // one pairwise cipher: CCMP
      01 00 00 0F AC 02        // one suite: PSK
      00 00                    // capabilities
      """))

  /// A network that takes WPA and WPA2, whose name has a NUL in it.
  public static let wpa = Fixture(
    "WPA and WPA2",
    hex(
      """
      00 03 61 00 62           // SSID: a, NUL, b
      30 14 01 00 00 0F AC 02 01 00 00 0F AC 04 01 00 00 0F AC 02 00 00
      DD 16 00 50 F2 01 01 00  // vendor 00-50-F2, type 1, version 1
      00 50 F2 02              // group cipher TKIP
      01 00 00 50 F2 02        // one pairwise cipher: TKIP
      01 00 00 50 F2 02        // one suite: PSK
      """))

  /// RSN with this suite alone.
  public static func rsn(suite: UInt8) -> [UInt8] {
    hex("00 01 41 30 12 01 00 00 0F AC 04 01 00 00 0F AC 04 01 00 00 0F AC") + [suite]
  }

  public static let all = [wpa2, wpa, Fixture("SAE", rsn(suite: 8))]
}

/// Made-up datagrams of generic netlink; nl80211 has number 0x1C, and the interface is 3.
public enum NetlinkDatagrams {
  public static let family = Fixture(
    "the family's number and groups",
    hex(
      """
      60 00 00 00 10 00 00 00 01 00 00 00 00 00 00 00  // 96 bytes, controller, sequence 1
      01 02 00 00                                      // new family, version 2
      0C 00 02 00 6E 6C 38 30 32 31 31 00              // name
      06 00 01 00 1C 00 00 00                          // number 0x1C
      38 00 07 00                                      // groups
      1C 00 01 00                                      // the first one
      08 00 02 00 03 00 00 00                          // number 3
      0F 00 01 00 72 65 67 75 6C 61 74 6F 72 79 00 00  // regulatory, whose 15 bytes are padded
      18 00 02 00                                      // the second one
      08 00 02 00 04 00 00 00                          // number 4
      09 00 01 00 73 63 61 6E 00 00 00 00              // scan
      """))

  public static let acknowledged = Fixture(
    "a request was carried out",
    hex(
      """
      24 00 00 00 02 00 00 01 02 00 00 00 00 00 00 00  // 36 bytes, error
      00 00 00 00                                      // none
      24 00 00 00 1C 00 05 00 02 00 00 00 00 00 00 00  // the request's header
      """))

  public static let busy = Fixture(
    "EBUSY",
    hex(
      """
      24 00 00 00 02 00 00 00 02 00 00 00 00 00 00 00
      F0 FF FF FF                                      // -16
      24 00 00 00 1C 00 05 00 02 00 00 00 00 00 00 00
      """))

  /// News of a scan: 33 began, 34 completed, 35 was aborted.
  public static func news(_ command: UInt8) -> [UInt8] {
    hex("24 00 00 00 1C 00 00 00 00 00 00 00 00 00 00 00") + [command, 1, 0, 0]
      + hex("08 00 01 00 00 00 00 00 08 00 03 00 03 00 00 00")
  }

  /// Two networks, of which the first one is joined, and the end of the list.
  public static let list = Fixture(
    "two networks",
    network(0x01, NetworkElements.wpa2.bytes, ageMilliseconds: 1500, isJoined: true)
      + network(0x02, NetworkElements.wpa.bytes, ageMilliseconds: 20, isJoined: false)
      + hex("14 00 00 00 03 00 02 00 03 00 00 00 00 00 00 00 00 00 00 00"))

  /// An entry of a list: address 02:42:00:00:00:xx, 2437 MHz, -57.5 dBm, with the privacy bit.
  public static func network(
    _ address: UInt8, _ elements: [UInt8], ageMilliseconds: UInt16, isJoined: Bool
  ) -> [UInt8] {
    let elementsAttribute = [UInt8(elements.count + 4), 0, 6, 0] + elements + padding(elements.count)
    let bss =
      hex("0A 00 01 00 02 42 00 00 00") + [address]
      + hex("00 00 08 00 02 00 85 09 00 00 06 00 05 00 11 04 00 00")
      + elementsAttribute + hex("08 00 07 00 8A E9 FF FF 08 00 0A 00")
      + [UInt8(truncatingIfNeeded: ageMilliseconds), UInt8(ageMilliseconds >> 8), 0, 0]
      + (isJoined ? hex("08 00 09 00 01 00 00 00") : [])
    let attributes = hex("08 00 03 00 03 00 00 00") + [UInt8(bss.count + 4), 0, 0x2F, 0x80] + bss
    return [UInt8(attributes.count + 20), 0, 0, 0] + hex("1C 00 02 00 03 00 00 00 00 00 00 00 22 01 00 00")
      + attributes
  }

  private static func padding(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: (4 - count % 4) % 4) }

  public static let all = [
    family, acknowledged, busy, list, Fixture("the end of a scan", news(34)),
  ]
}
