// SPDX-License-Identifier: GPL-3.0-or-later

/// Bytes with a name: what the tests damage and the fuzzers start from.
public struct Fixture: Sendable, CustomStringConvertible {
  public let name: String
  public let bytes: [UInt8]

  public init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  public var description: String { name }
}

/// Made-up H4 packets.
public enum Packets {
  /// A connectable, scannable advertisement with flags, a service, manufacturer data and a name.
  public static let legacy = Fixture(
    "one legacy report",
    hex(
      """
      04 3E 21            // event packet, LE Meta, 33 bytes
      02 01               // LE Advertising Report, one report
      00                  // ADV_IND
      01                  // random address
      66 55 44 33 22 C1   // C1:22:33:44:55:66
      15                  // 21 bytes of data
      02 01 06            // flags
      03 03 0F FE         // complete list of services: FE0F
      07 FF EE 0E A5 5A 00 10  // manufacturer data of company 0EEE
      05 09 4C 75 6D 6F   // complete name: Lumo
      C4                  // RSSI -60
      """))

  /// Three advertisers, the last without data.
  public static let legacyThree = Fixture(
    "three legacy reports",
    hex(
      """
      04 3E 31            // event packet, LE Meta, 49 bytes
      02 03               // LE Advertising Report, three reports
      03 00               // ADV_NONCONN_IND, public address
      06 05 04 03 02 01   // 01:02:03:04:05:06
      06                  // 6 bytes of data
      05 FF 4C 00 10 01   // manufacturer data of company 004C
      B0                  // RSSI -80
      04 01               // SCAN_RSP, random address
      66 55 44 33 22 C1   // C1:22:33:44:55:66
      0B                  // 11 bytes of data
      0A 09 53 65 6E 73 6F 72 20 31 37  // complete name: Sensor 17
      C9                  // RSSI -55
      02 03               // ADV_SCAN_IND, random identity address
      11 22 33 44 55 D6   // D6:55:44:33:22:11
      00                  // no data
      7F                  // RSSI not available
      """))

  public static let directed = Fixture(
    "two directed reports",
    hex(
      """
      04 3E 22            // event packet, LE Meta, 34 bytes
      0B 02               // LE Directed Advertising Report, two reports
      01 01               // ADV_DIRECT_IND, random address
      66 55 44 33 22 C1   // C1:22:33:44:55:66
      FE                  // the target is a random address the controller could not resolve
      0D 0C 0B 0A 09 48   // 48:09:0A:0B:0C:0D
      C4                  // RSSI -60
      01 00               // ADV_DIRECT_IND, public address
      06 05 04 03 02 01   // 01:02:03:04:05:06
      00                  // the target is a public address
      26 25 24 23 22 21   // 21:22:23:24:25:26
      B0                  // RSSI -80
      """))

  /// An extended advertisement and a legacy one in the same extended event.
  public static let extended = Fixture(
    "two extended reports",
    hex(
      """
      04 3E 47            // event packet, LE Meta, 71 bytes
      0D 02               // LE Extended Advertising Report, two reports
      01 00               // connectable extended advertising, data complete
      01                  // random address
      66 55 44 33 22 C1   // C1:22:33:44:55:66
      01 02               // primary 1M, secondary 2M
      05                  // set 5
      F8                  // TX power -8
      C4                  // RSSI -60
      00 00               // no periodic advertising
      00 00 00 00 00 00 00  // not directed
      0A                  // 10 bytes of data
      02 01 06            // flags
      06 16 0F FE 01 02 03  // service data of FE0F
      13 00               // ADV_IND as a legacy PDU
      00                  // public address
      06 05 04 03 02 01   // 01:02:03:04:05:06
      01 00               // primary 1M, no secondary
      FF                  // no set
      7F                  // TX power not available
      B0                  // RSSI -80
      00 00               // no periodic advertising
      00 00 00 00 00 00 00  // not directed
      0B                  // 11 bytes of data
      0A 08 54 68 65 72 6D 6F 6D 65 74  // shortened name: Thermomet
      """))

  /// The first two fragments of a chain on the coded PHY, and a report without an address.
  public static let extendedChain = Fixture(
    "fragments and an anonymous report",
    hex(
      """
      04 3E 57            // event packet, LE Meta, 87 bytes
      0D 03               // LE Extended Advertising Report, three reports
      20 00               // extended advertising, more data to come
      01                  // random address
      66 55 44 33 22 C1   // C1:22:33:44:55:66
      03 03               // primary and secondary coded
      07                  // set 7
      7F C4 00 00         // TX power not available, RSSI -60, no periodic advertising
      00 00 00 00 00 00 00  // not directed
      04                  // 4 bytes of data
      09 FF EE 0E         // the start of manufacturer data of company 0EEE
      40 00               // extended advertising, data truncated
      01                  // random address
      66 55 44 33 22 C1   // C1:22:33:44:55:66
      03 03               // primary and secondary coded
      07                  // set 7
      7F C4 00 00         // TX power not available, RSSI -60, no periodic advertising
      00 00 00 00 00 00 00  // not directed
      06                  // 6 bytes of data
      01 02 03 04 05 06   // the rest of it
      04 00               // directed extended advertising
      FF                  // no address
      00 00 00 00 00 00   // nothing in its place
      01 01               // primary and secondary 1M
      00                  // set 0
      14 EC 50 00         // TX power 20, RSSI -20, periodic advertising every 100 ms
      FE 0D 0C 0B 0A 09 48  // the target is a random address the controller could not resolve
      03                  // 3 bytes of data
      02 0A F4            // TX power level -12
      """))

  public static let commandComplete = Fixture(
    "a Command Complete event",
    hex(
      """
      04 0E 04            // event packet, Command Complete, 4 bytes
      01                  // one command may be sent
      0C 20               // LE Set Scan Enable
      00                  // success
      """))

  public static let command = Fixture(
    "a command",
    hex(
      """
      01 0C 20 02         // command packet, LE Set Scan Enable, 2 bytes
      01 00               // enable, do not filter duplicates
      """))

  public static let acl = Fixture(
    "ACL data",
    hex(
      """
      02 40 20 07 00      // ACL packet, handle 0040, 7 bytes
      03 00 04 00         // L2CAP: 3 bytes for channel 4
      02 17 00            // ATT: exchange MTU
      """))

  public static let sco = Fixture(
    "synchronous data",
    hex(
      """
      03 01 00 03         // synchronous packet, handle 0001, 3 bytes
      11 22 33            // audio
      """))

  public static let iso = Fixture(
    "isochronous data",
    hex(
      """
      05 01 20 04 40      // isochronous packet, handle 0001; 4 bytes, under two reserved bits
      01 00 00 00         // sequence number and length of an SDU
      """))

  /// Every event that carries reports.
  public static let reports = [legacy, legacyThree, directed, extended, extendedChain]
  public static let all = reports + [commandComplete, command, acl, sco, iso]
}

/// Made-up payloads of AD structures.
public enum Payloads {
  /// One structure of every type that has a reading, and one that has none.
  public static let everyType = Fixture(
    "every type",
    hex(
      """
      02 01 06            // flags
      05 02 0F FE 0A 18   // incomplete services, 16 bits: FE0F, 180A
      03 03 0D 18         // complete services, 16 bits: 180D
      05 04 78 56 34 12   // incomplete services, 32 bits: 12345678
      09 05 01 00 00 00 02 00 00 00  // complete services, 32 bits: 1 and 2
      11 06 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00  // incomplete services, 128 bits
      11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 0F FE 00 00  // complete services, 128 bits: FE0F
      04 08 4C 75 6D      // shortened name: Lum
      05 09 4C 75 6D 6F   // complete name: Lumo
      02 0A F4            // TX power level -12
      03 14 0F FE         // solicited services, 16 bits: FE0F
      11 15 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00  // solicited services, 128 bits
      05 16 0F FE 01 02   // service data, 16 bits
      03 19 41 03         // appearance: heart rate belt
      05 1F 78 56 34 12   // solicited services, 32 bits
      06 20 78 56 34 12 03  // service data, 32 bits
      12 21 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00 04  // service data, 128 bits
      06 24 17 2F 2F 61 2E  // URI, not read here
      07 FF EE 0E A5 5A 00 10  // manufacturer data of company 0EEE
      """))

  /// Values without bytes where the type allows none.
  public static let empty = Fixture(
    "empty values",
    hex(
      """
      01 01               // flags
      01 03               // complete services, 16 bits
      01 09               // complete name
      03 16 0F FE         // service data, 16 bits, of nothing
      03 FF 00 00         // manufacturer data of company 0000, of nothing
      01 24               // URI
      """))

  public static let padded = Fixture(
    "padded with zeros",
    hex(
      """
      02 01 06            // flags
      03 03 0F FE         // complete services
      00 00 00 00         // padding
      """))

  public static let dataAfterEnd = Fixture(
    "data behind the end",
    hex(
      """
      02 01 06            // flags
      00 00               // the end
      02 0A F4            // bytes after the end
      """))

  public static let lengthPastEnd = Fixture(
    "a length past the end",
    hex(
      """
      02 01 06            // flags
      09 09 4C 75 6D 6F   // a name that promises eight bytes and has four
      """))

  /// Every type with a size it does not allow, one good structure in between.
  public static let wrongSizes = Fixture(
    "wrong sizes",
    hex(
      """
      02 02 0F            // services, 16 bits: one byte
      04 05 01 02 03      // services, 32 bits: three bytes
      04 06 01 02 03      // services, 128 bits: three bytes
      01 0A               // TX power level: none
      03 0A F4 00         // TX power level: two bytes
      02 01 06            // flags, as they should be
      02 16 0F            // service data, 16 bits: half a key
      04 20 01 02 03      // service data, 32 bits: part of a key
      03 21 01 02         // service data, 128 bits: part of a key
      02 19 41            // appearance: one byte
      04 19 41 03 00      // appearance: three bytes
      02 14 0F            // solicited services, 16 bits: one byte
      02 15 0F            // solicited services, 128 bits: one byte
      02 1F 0F            // solicited services, 32 bits: one byte
      02 FF EE            // manufacturer data: half a company
      """))

  /// Lists that end inside their last UUID.
  public static let cutLists = Fixture(
    "cut lists",
    hex(
      """
      04 03 0F FE 0A      // complete services, 16 bits: FE0F and half of another
      06 04 78 56 34 12 99  // incomplete services, 32 bits: 12345678 and a quarter
      04 14 0F FE 0A      // solicited services, 16 bits: FE0F and half of another
      02 01 06            // flags, as they should be
      """))

  public static let good = [everyType, empty, padded]
  public static let all = good + [dataAfterEnd, lengthPastEnd, wrongSizes, cutLists]
}
