// SPDX-License-Identifier: GPL-3.0-or-later

/// The results of scans by wireless extensions.
public enum WirelessResults {
  /// What a kernel of 64 bits delivers for a network: events of a length, a number, and four bytes of padding.
  public static let stream: [UInt8] =
    hex(
      """
      18 00 15 8B 00 00 00 00  01 00 02 42 00 00 00 01 00 00 00 00 00 00 00 00  // SIOCGIWAP: 02:42:00:00:00:01
      13 00 1B 8B 00 00 00 00  03 00 01 00 00 00 00 00 61 00 62                 // SIOCGIWESSID: a, NUL, b
      10 00 05 8B 00 00 00 00  06 00 00 00 00 00 00 00                          // SIOCGIWFREQ: channel 6
      10 00 05 8B 00 00 00 00  85 09 00 00 06 00 00 00                          // SIOCGIWFREQ: 2437 MHz
      0C 00 01 8C 00 00 00 00  46 CE A0 4B                                      // IWEVQUAL: -50 dBm
      10 00 2B 8B 00 00 00 00  00 00 00 08 00 00 00 00                          // SIOCGIWENCODE: privacy
      """) + point([0x05, 0x8C], NetworkElements.wpa2.bytes)
    + point([0x02, 0x8C], Array(" Last beacon: 1500ms ago".utf8))

  /// An event with bytes: their count, flags and padding come first.
  private static func point(_ command: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count + 16), 0] + command + [0, 0, 0, 0, UInt8(bytes.count), 0, 0, 0, 0, 0, 0, 0] + bytes
  }
}
