// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// Extended advertisers that the manifest does not know.
extension DemoRoom {
  static var extendedStrangers: [RoomDevice] { [headset(set: 1), headset(set: 2), announcement, television] }

  /// One address, two sets; the second is scannable and keeps its data for the scan response.
  private static func headset(set id: UInt8) -> RoomDevice {
    var set = AdvertisingSet(id: id, properties: id == 1 ? .connectable : .scannable)
    set.txPower = 6
    let services = AdvertisingPayload().flags(0x06).services(BluetoothUUID(short: 0x184E))
    return RoomDevice(
      .staticRandom(0xF3A0_7E57_0101), .extended(set),
      payloads: PayloadScript(id == 1 ? services : AdvertisingPayload()),
      scanResponse: id == 1 ? nil : AdvertisingPayload().name("Wide headset").appearance(0x0942),
      intervalMilliseconds: 800, signal: .still(-60))
  }

  /// A broadcast without an address.
  private static var announcement: RoomDevice {
    RoomDevice(
      .anonymous, .extended(AdvertisingSet(id: 5)),
      payloads: PayloadScript(
        AdvertisingPayload().serviceData(BluetoothUUID(short: 0x1852), [0x3C, 0x11, 0x7A])),
      intervalMilliseconds: 600, signal: .still(-73))
  }

  /// Long data and bad reception: many of its chains end early.
  private static var television: RoomDevice {
    var set = AdvertisingSet(id: 2)
    set.fragmentByteCount = 100
    let text = (0..<240).map { UInt8($0 % 26 + 97) }
    return RoomDevice(
      .public(0x5CC1_D7A0_0E11), .extended(set),
      payloads: PayloadScript(AdvertisingPayload().name("TV").manufacturerData(0x0075, text)),
      intervalMilliseconds: 1100, signal: .still(-88, lossPerMille: 350))
  }
}
