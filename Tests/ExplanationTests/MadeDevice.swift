// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

/// A device of a published layout that advertises changing readings.
struct MadeDevice: Sendable, CustomTestStringConvertible {
  let title: String
  let address: DeviceAddress
  /// What it sends in turn, ``payload(_:step:_:)`` explains how.
  let frames: [String]
  /// The clauses of the item that finds it: company, data/mask, service, data/mask, name.
  let wanted: String

  var testDescription: String { title }

  init(_ title: String, _ frames: String..., wanted: String, at bits: UInt64, _ type: AddressType = .public) {
    self.init(title, frames: frames, wanted: wanted, at: bits, type)
  }

  init(
    _ title: String, frames: [String], wanted: String, at bits: UInt64, _ type: AddressType = .public
  ) {
    self.title = title
    address = DeviceAddress(bits: bits, type: type)
    self.frames = frames
    self.wanted = wanted
  }

  /// Another unit of the same kind.
  var secondUnit: MadeDevice {
    MadeDevice(title, frames: frames, wanted: wanted, at: address.bits ^ 0x9F3C6B, address.type)
  }

  /// A report every 100 ms, `count` of each frame.
  func packets(_ count: Int) -> [[UInt8]] {
    var dice = SeededGenerator(seed: address.bits)
    return (0..<(count * frames.count)).map { step in
      var frame = frames[step % frames.count][...]
      let isResponse = frame.hasPrefix("R:")
      if isResponse { frame = frame.dropFirst(2) }
      let payload = payload(frame, step: step, &dice)
      let pdu: AdvertisingPDU = isResponse ? .scanResponse : .connectable
      return ReportEncoder.event(.legacy, AirReport(pdu, from: address, rssi: -60, payload))
    }
  }

  /// Structures between semicolons: `M 0499 BYTES` manufacturer data, `V BYTES` the same with any bytes for the company,
  /// `S fcd2 BYTES` service data, `U feaa` a service, `L BYTES` a service of 16 bytes, `N TEXT` a name, `n TEXT` a shortened one. Of the bytes `#` is
  /// half a random byte, `@@` the step, `A` the address, `a` its bytes in reverse, `a2` the first two of those, `T` the
  /// digits of the address as text, `T:` with colons in capitals, `t` those of its bytes in reverse, `t3` of its last three bytes. In a name `~` is the last four digits of the address, `!` those of its last two bytes
  /// in reverse, `%` a random digit.
  private func payload(_ frame: Substring, step: Int, _ dice: inout SeededGenerator) -> AdvertisingPayload {
    var payload = AdvertisingPayload().flags(6)
    for structure in frame.split(separator: ";") {
      let words = structure.split(separator: " ")
      let hasKey = ["M", "S", "U"].contains(words[0])
      let key = hasKey ? UInt16(words[1], radix: 16) ?? 0 : 0
      let data = words[0].uppercased() == "N" ? [] : words.dropFirst(hasKey ? 2 : 1)
      let bytes = data.flatMap { self.bytes($0, step: step, &dice) }
      switch words[0] {
      case "V": payload = payload.structure(.manufacturerData, bytes)
      case "L": payload = payload.structure(.completeServices128, bytes)
      case "M": payload = payload.manufacturerData(key, bytes)
      case "S": payload = payload.serviceData(BluetoothUUID(short: UInt32(key)), bytes)
      case "U": payload = payload.services(BluetoothUUID(short: UInt32(key)))
      case "N":
        payload = payload.name(name(words[1...].joined(separator: " "), &dice))
      case "n": payload = payload.shortenedName(name(words[1...].joined(separator: " "), &dice))
      default: preconditionFailure("unknown structure \(structure)")
      }
    }
    return payload
  }

  private func name(_ text: String, _ dice: inout SeededGenerator) -> String {
    let end = addressBytes.suffix(2)
    return text.map { character in
      switch character {
      case "~": hexText(end).uppercased()
      case "!": hexText(end.reversed()).uppercased()
      case "%": String(dice.number(below: 10))
      default: String(character)
      }
    }.joined()
  }

  private func bytes(_ word: Substring, step: Int, _ dice: inout SeededGenerator) -> [UInt8] {
    switch word {
    case "A": return addressBytes
    case "a": return addressBytes.reversed()
    case "a2": return addressBytes.reversed().dropLast(4)
    case "T": return Array(hexText(addressBytes).utf8)
    case "T:": return Array(addressBytes.map { hexText([$0]).uppercased() }.joined(separator: ":").utf8)
    case "t": return Array(hexText(addressBytes.reversed()).utf8)
    case "t3": return Array(hexText(addressBytes.suffix(3)).utf8)
    case "@@": return [UInt8(truncatingIfNeeded: step)]
    default:
      guard word.hasPrefix("#") else { return hex(String(word)) }
      return (0..<(word.count / 2)).map { _ in UInt8(dice.number(below: 256)) }
    }
  }

  /// As it is written.
  var addressBytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(40 - 8 * $0)) } }
}

extension MadeDevice {
  /// Devices of every family that `suggest` knows: of each several models, plain and encrypted, old and new.
  static let families = bthome + beacons + eddystone + fastPair + ruuvi + switchBot + govee + xiaomi + shelly

  private static let bthome = [
    MadeDevice("BTHome", "S fcd2 40 00 @@ 02 #### 03 ####", wanted: "fcd2 40/e0", at: 0xA4C1_38FE_4301),
    MadeDevice(
      "BTHome with a name", "S fcd2 40 01 ## 02 #### ; N ATC_~", wanted: "fcd2 40/e0 ATC_",
      at: 0xA4C1_38FE_4302),
    MadeDevice(
      "BTHome, encrypted", "S fcd2 41 ######## ######## @@ 112233 ########", "R: N DIY-sensor",
      wanted: "fcd2 40/e0 DIY-sensor", at: 0xA4C1_38FE_4303),
    MadeDevice(
      "BTHome, on events", "S fcd2 44 00 @@ 3a ##", wanted: "fcd2 44/e4", at: 0xA4C1_38FE_4304),
    MadeDevice(
      "BTHome 1", "S 181c 02 00 @@ 23 02 #### 03 03 ####", wanted: "181c", at: 0xA4C1_38FE_4305),
    MadeDevice(
      "BTHome 1, encrypted", "S 181e ######## ######## 00112233 ########", wanted: "181e",
      at: 0xA4C1_38FE_4306),
  ]

  private static let beacons = [
    MadeDevice(
      "iBeacon", "M 004c 0215 e2c56db5dffb48d2b060d0f5a71096e0 0001 0002 c5",
      wanted: "004c 0215e2c56db5dffb48d2b060d0f5a71096e0", at: 0xC000_0000_1101, .random),
    MadeDevice(
      "iBeacon with a scan response", "M 004c 0215 b5b182c7eab14988aa99b5c1517008d9 0001 641a c5",
      "R: N ABTemp ; S 5242 @@ ####", wanted: "004c 0215b5b182c7eab14988aa99b5c1517008d9",
      at: 0x0C98_3834_1102),
    MadeDevice(
      "iBeacon with readings for its minor",
      "M 004c 0215 ebefd08370a247c89837e7b5634df525 #### #### cc", "R: U f525",
      wanted: "004c 0215ebefd08370a247c89837e7b5634df525", at: 0xCB57_F867_1103),
    MadeDevice(
      "AltBeacon", "M 0118 beac 2f234454cf6d4a0fadf2f4911ba9ffa6 0001 0002 c5 @@",
      wanted: "0118 beac2f234454cf6d4a0fadf2f4911ba9ffa6", at: 0xC000_0000_1104, .random),
    MadeDevice(
      "AltBeacon of another company", "M 0ee0 beac 0102030405060708090a0b0c0d0e0f10 1112 1314 c5 @@",
      wanted: "0ee0 beac0102030405060708090a0b0c0d0e0f10", at: 0xC000_0000_1105, .random),
  ]

  private static let eddystone = [
    MadeDevice(
      "Eddystone-UID, URL and TLM", "U feaa ; S feaa 00 ee 00112233445566778899 0a0b0c0d0e0f 0000",
      "U feaa ; S feaa 10 ee 03 676f6f2e676c 2f #### ####",
      "U feaa ; S feaa 20 00 #### #### ######## ########",
      wanted: "feaa 000000112233445566778899/ff00ffffffffffffffffffff", at: 0xC000_0000_2201, .random),
    MadeDevice(
      "Eddystone-TLM", "U feaa ; S feaa 20 00 #### #### ######## ########", wanted: "feaa 20",
      at: 0xC000_0000_2202, .random),
    MadeDevice(
      "Eddystone-URL with readings", "U feaa ; S feaa 10 ee 03 7275752e76692f 23 #### #### ####",
      wanted: "feaa 1000037275752e76692f/ff00ffffffffffffffff", at: 0xC000_0000_2203, .random),
    MadeDevice(
      "Eddystone-EID", "U feaa ; S feaa 30 ee ######## ########", wanted: "feaa 30", at: 0xC000_0000_2204,
      .random),
    MadeDevice(
      "Eddystone with a frame of its own", "U feaa ; S feaa 21 01 0f0e #### #### #### ####",
      wanted: "feaa 21",
      at: 0xBC57_2900_2205),
  ]

  private static let fastPair = [
    MadeDevice(
      "Fast Pair beside a company's data", "S fe2c 0a1b2c", "M 00e0 01 ## @@", wanted: "fe2c 0a1b2c",
      at: 0x9C5A_8100_3301),
    MadeDevice(
      "Fast Pair, paired", "S fe2c 00 60 ######## ######## 11 ####", wanted: "fe2c 00/f0",
      at: 0x4A00_0000_3302,
      .random),
  ]

  private static let ruuvi = [
    MadeDevice(
      "Ruuvi 3", "M 0499 03 ## #### #### #### #### #### ####", wanted: "0499 03", at: 0xC000_0000_4401,
      .random),
    MadeDevice(
      "Ruuvi 5", "M 0499 05 #### #### #### #### #### #### #### ## #### A", wanted: "0499 05",
      at: 0xCBB8_334C_4402,
      .random),
    MadeDevice(
      "Ruuvi 6", "M 0499 06 #### #### #### #### #### ## ## ## ## @@ ## 4c4403", wanted: "0499 06",
      at: 0xCBB8_334C_4403, .random),
    MadeDevice(
      "Ruuvi C5", "M 0499 c5 #### #### #### #### ## #### A", wanted: "0499 c5", at: 0xCBB8_334C_4404, .random),
  ]

  private static let switchBot = [
    MadeDevice(
      "SwitchBot meter", "M 0969 A @@ ## ######", "R: S fd3d 69 00 ## ######", wanted: "fd3d 69/7f",
      at: 0xC4F9_2675_5501),
    MadeDevice(
      "SwitchBot curtain", "M 0969 A @@ ####", "R: S fd3d e3 c0 ## ## ##", wanted: "fd3d 63/7f",
      at: 0xC4F9_2675_5502),
    MadeDevice(
      "SwitchBot contact", "M 0969 A @@ ######", "R: S fd3d 64 ## ## ## ########", wanted: "fd3d 64/7f",
      at: 0xC4F9_2675_5503),
    MadeDevice(
      "SwitchBot bot, old", "M 0059 A", "R: S 0d00 48 ## ##", wanted: "0d00 48/7f", at: 0xC4F9_2675_5504),
    MadeDevice("SwitchBot, passive scan", "M 0969 A @@ ## ######", wanted: "0969", at: 0xC4F9_2675_5505),
  ]

  private static let govee = [
    MadeDevice(
      "Govee H5075", "N GVH5075_~ ; U ec88", "R: M ec88 00 ###### ## 00", wanted: "ec88 GVH5075_",
      at: 0xA4C1_3812_6601),
    MadeDevice(
      "Govee H5102", "N GVH5102_~ ; U ec88", "R: M 0001 01 01 ###### ##", wanted: "ec88 GVH5102_",
      at: 0xA4C1_3812_6602),
    MadeDevice(
      "Govee H5125", "N GV5125~", "R: M ec88 01 0a #### @@ ##########", wanted: "GV5125",
      at: 0xA4C1_3812_6603),
    MadeDevice("Govee, passive scan", "M ec88 00 ###### ## 00", wanted: "ec88", at: 0xA4C1_3812_6604),
  ]

  private static let xiaomi = [
    MadeDevice(
      "Xiaomi LYWSDCGQ", "S fe95 5020 aa01 @@ a 0d 10 04 #### ####", "S fe95 5020 aa01 @@ a 04 10 02 ####",
      "S fe95 5020 aa01 @@ a 0a 10 01 ##", wanted: "fe95 0000aa01/0000ffff", at: 0x582D_3433_7701),
    MadeDevice(
      "Xiaomi MiFlora", "S fe95 7120 9800 @@ a 0d 09 10 02 ####", wanted: "fe95 00009800/0000ffff",
      at: 0xC47C_8D6D_7702),
    MadeDevice(
      "Xiaomi, encrypted", "S fe95 5858 db20 @@ a ########## 000000 ########", "S fe95 3058 db20 @@ a 28",
      wanted: "fe95 0000db20/0000ffff", at: 0xE5CC_B5D1_7703),
  ]

  private static let shelly = [
    MadeDevice(
      "Shelly H&T", "S fcd2 44 00 @@ 01 ## 2e ## 45 ####", "R: N SBHT-003C ; M 0ba9 01 1100 0b 0300 0a a",
      wanted: "0ba9 0000000b0300/000000ffffff", at: 0x60EF_AB44_8801),
    MadeDevice(
      "Shelly button, encrypted", "S fcd2 45 ######## ######## ########", "R: M 0ba9 0b 0100 0a a",
      wanted: "0ba9 0b0100", at: 0x60EF_AB44_8802),
    MadeDevice(
      "Shelly without a model", "M 0ba9 01 #### 0a a ; S fcd2 44 00 @@", wanted: "0ba9", at: 0x60EF_AB44_8803),
    MadeDevice(
      "Shelly, passive scan", "S fcd2 44 00 @@ 01 ## 2d ## ; N SBDW-002C", wanted: "fcd2 44/e4 SBDW-002C",
      at: 0x60EF_AB44_8804),
  ]
}
