// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// Bulbs and a strip of the maker 0x0EEE; the manifest's bulb is model 1, let in when held against the gateway.
extension DemoRoom {
  static var lights: [RoomDevice] { [carriedBulb, ceilingBulb, newBulb, otherModel] + strip }

  private static var carriedBulb: RoomDevice {
    bulb(
      0xC4A1_0000_1E27, model: 1, intervalMilliseconds: 100,
      .carried(from: -75, to: -38, (9_500, 12_000, 31_000, 34_000)))
  }

  private static var ceilingBulb: RoomDevice {
    bulb(0xC4A1_0000_2F14, model: 1, intervalMilliseconds: 450, .still(-68))
  }

  private static var newBulb: RoomDevice {
    var bulb = bulb(
      0xC4A1_0000_3B9D, model: 1, intervalMilliseconds: 100,
      .carried(from: -66, to: -41, (48_000, 49_500, 60_000, 62_000)))
    bulb.presence = [.seconds(46, 70)]
    return bulb
  }

  /// The same maker's other model: the manifest's mask tells it apart.
  private static var otherModel: RoomDevice {
    bulb(0xC4A1_0000_40C2, model: 2, intervalMilliseconds: 800, .still(-45))
  }

  /// Manufacturer data a5 5a, firmware, model and colour, brightness; the name in the scan response.
  private static func bulb(
    _ address: UInt64, model: UInt8, intervalMilliseconds: Int, _ signal: SignalModel
  ) -> RoomDevice {
    let payloads = [0x64, 0x50, 0x3C, 0x28].map { (brightness: UInt8) in
      AdvertisingPayload().flags(0x06)
        .manufacturerData(0x0EEE, [0xA5, 0x5A, 0x03, model << 4 | 0x02, brightness])
    }
    return RoomDevice(
      .staticRandom(address), payloads: PayloadScript(cycle: payloads, turnMilliseconds: 5000),
      scanResponse: AdvertisingPayload().name("Lumo E27").txPowerLevel(0),
      intervalMilliseconds: intervalMilliseconds, signal: signal)
  }

  /// The strip, and what it is while its firmware is updated: another address, the update service.
  private static var strip: [RoomDevice] {
    let name = AdvertisingPayload().name("Lumo strip 2 m")
    let usual = RoomDevice(
      .staticRandom(0xC4A1_0000_5D01),
      payloads: PayloadScript(AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [0xB0, 0x01])),
      scanResponse: name, intervalMilliseconds: 400, signal: .still(-62),
      presence: [.seconds(0, 37), .seconds(52, 70)])
    var update = usual
    update.address = .staticRandom(0xC4A1_0000_5D02)
    update.payloads = PayloadScript(AdvertisingPayload().flags(0x06).services(BluetoothUUID(short: 0xFE59)))
    update.presence = [.seconds(39, 50)]
    return [usual, update]
  }
}
