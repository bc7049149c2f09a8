// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// Tags of the maker 0x0EEF; the manifest wants those whose names end in "-tag".
extension DemoRoom {
  static var tags: [RoomDevice] { [keys, bike, wallet, piano, hostile, label] }

  private static var keys: RoomDevice {
    tag("Keys-tag", .staticRandom(0xD0E3_4C5B_0101), -57, presence: .seconds(6, 70))
  }

  private static var bike: RoomDevice {
    tag("Bike-TAG", .staticRandom(0xD0E3_4C5B_0114), -73, presence: .seconds(15, 29))
  }

  /// A new address every 24 s; ``walletKey`` tells that it is always the same wallet.
  private static var wallet: RoomDevice {
    tag("Wallet-tag", .resolvable(key: walletKey.key, rotationSeconds: 24), -61)
  }

  /// Heard by a part of the controller that measures nothing.
  private static var piano: RoomDevice {
    var tag = tag("Piano-tag", .staticRandom(0xD0E3_4C5B_0133), -60, presence: .seconds(8, 70))
    tag.hasReading = false
    return tag
  }

  /// A name that would clear the screen, turn the line around, and is not well-formed UTF-8.
  private static var hostile: RoomDevice {
    let name: [UInt8] =
      [0x1B, 0x5B, 0x32, 0x4A]  // ESC [2J
      + [0xE2, 0x80, 0xAE]  // right-to-left override
      + [0xFF, 0x0A] + Array("evil-tag".utf8)
    return tag(name, .staticRandom(0xD0E3_4C5B_0666), -69, presence: .seconds(22, 47))
  }

  /// The right maker with the wrong name.
  private static var label: RoomDevice { tag("Tag-lite", .staticRandom(0xD0E3_4C5B_0150), -72) }

  private static func tag(
    _ name: String, _ address: AddressPlan, _ level: Int, presence: Range<Instant> = .always
  ) -> RoomDevice {
    tag(Array(name.utf8), address, level, presence: presence)
  }

  private static func tag(
    _ name: [UInt8], _ address: AddressPlan, _ level: Int, presence: Range<Instant>
  ) -> RoomDevice {
    RoomDevice(
      address,
      payloads: PayloadScript(
        AdvertisingPayload().flags(0x06).manufacturerData(0x0EEF, [0x01, 0x5C]).structure(.completeName, name)
      ), intervalMilliseconds: 600, signal: .still(level), presence: [presence])
  }
}
