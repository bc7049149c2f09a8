// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// The lock, the camera, and the beacon that operators survey.
extension DemoRoom {
  static var accessories: [RoomDevice] { [lock, camera, beacon] }

  /// Its service in the advertisement, its name only in the scan response. Locked, unlocked, opened.
  private static var lock: RoomDevice {
    let states = [0, 0, 1, 2, 0].map { (state: UInt8) in
      AdvertisingPayload().flags(0x06).services(lockService).manufacturerData(0x0EEB, [state])
    }
    return RoomDevice(
      .staticRandom(0xDB10_22F0_3A11), payloads: PayloadScript(cycle: states, turnMilliseconds: 9000),
      scanResponse: AdvertisingPayload().name("Lock-4F2A"), intervalMilliseconds: 400, signal: .still(-70),
      presence: [.seconds(4, 70)])
  }

  private static var lockService: BluetoothUUID {
    BluetoothUUID(high: 0x7B1F_0001_3A52_4C8E, low: 0x9D60_2F4E_8A6C_1B05)
  }

  private static var camera: RoomDevice {
    RoomDevice(
      .public(0x7CDF_A100_5E31),
      payloads: PayloadScript(
        AdvertisingPayload().flags(0x06).manufacturerData(0x0EED, [0xCA, 0x4E, 0x01, 0x00])),
      scanResponse: AdvertisingPayload().name("YardCam-31"), intervalMilliseconds: 500, signal: .still(-59),
      presence: [.seconds(3, 70)])
  }

  /// Proximity UUID, major 1, minor 7, -59 dBm at a metre.
  private static var beacon: RoomDevice {
    let uuid: [UInt8] = [
      0x5F, 0x2D, 0xA9, 0x10, 0x7C, 0x0B, 0x4E, 0x6D, 0x9A, 0x51, 0x33, 0xC8, 0x12, 0x04, 0x77, 0xE0,
    ]
    return RoomDevice(
      .staticRandom(0xF0BE_AC00_0107), .legacy(.nonConnectable),
      payloads: PayloadScript(
        AdvertisingPayload().flags(0x06)
          .manufacturerData(0x004C, [0x02, 0x15] + uuid + [0x00, 0x01, 0x00, 0x07, 0xC5])),
      intervalMilliseconds: 350, signal: .still(-66), presence: [.seconds(1, 55)])
  }
}
