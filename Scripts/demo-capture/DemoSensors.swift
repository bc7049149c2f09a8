// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// Thermometers that send BTHome version 2 as service data of 0xFCD2: on legacy advertising, in fragments, from afar.
extension DemoRoom {
  static var sensors: [RoomDevice] { [livingRoom, balcony, weatherStation, farSensor] }

  private static var livingRoom: RoomDevice {
    RoomDevice(
      .public(0xA4C1_380D_0010), .legacy(.nonConnectable),
      payloads: readings(start: 2140, step: 6, turnMilliseconds: 2500) {
        AdvertisingPayload().flags(0x06).serviceData(bthome, $0).shortenedName("Living")
      },
      intervalMilliseconds: 500, signal: .still(-64))
  }

  private static var balcony: RoomDevice {
    RoomDevice(
      .public(0xA4C1_380D_0022), .legacy(.nonConnectable),
      payloads: readings(start: 480, step: -15, turnMilliseconds: 7000) {
        AdvertisingPayload().flags(0x06).serviceData(bthome, $0).shortenedName("Balcony")
      },
      intervalMilliseconds: 900, signal: .still(-82, lossPerMille: 150),
      presence: [.seconds(0, 24), .seconds(44, 70)])
  }

  /// Sends its log with every reading, in three packets.
  private static var weatherStation: RoomDevice {
    var set = AdvertisingSet(id: 3)
    set.secondaryPHY = .le2M
    set.fragmentByteCount = 160
    return RoomDevice(
      .staticRandom(0xE7B0_1402_77A1), .extended(set),
      payloads: readings(start: 910, step: 11, turnMilliseconds: 4000) {
        AdvertisingPayload().serviceData(bthome, $0).name("Weather station, roof")
          .manufacturerData(0x0EEC, log(0)).manufacturerData(0x0EEC, log(1))
      },
      intervalMilliseconds: 700, signal: .still(-71, lossPerMille: 5))
  }

  private static var farSensor: RoomDevice {
    var set = AdvertisingSet(id: 1)
    set.primaryPHY = .coded
    set.secondaryPHY = .coded
    set.txPower = 8
    return RoomDevice(
      .staticRandom(0xE7B0_1402_91C6), .extended(set),
      payloads: readings(start: 1230, step: 4, turnMilliseconds: 9000) {
        AdvertisingPayload().serviceData(bthome, $0).name("Greenhouse")
      },
      intervalMilliseconds: 1000, signal: .still(-94, lossPerMille: 200))
  }

  static var bthome: BluetoothUUID { BluetoothUUID(short: 0xFCD2) }

  /// Sixteen readings: packet number, battery, temperature in hundredths of a degree, humidity.
  private static func readings(
    start: Int, step: Int, turnMilliseconds: Int, _ payload: ([UInt8]) -> AdvertisingPayload
  ) -> PayloadScript {
    let cycle = (0..<16).map { turn in
      let drift = step * (turn < 8 ? turn : 16 - turn)
      let humidity = UInt16(4700 - drift)
      return payload(
        [0x40, 0x00, UInt8(turn), 0x01, 92, 0x02] + octets(UInt16(bitPattern: Int16(start + drift)))
          + [0x03] + octets(humidity))
    }
    return PayloadScript(cycle: cycle, turnMilliseconds: turnMilliseconds)
  }

  private static func octets(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

  /// The station's last readings, one octet each.
  private static func log(_ page: UInt8) -> [UInt8] { [page] + (0..<190).map { UInt8($0 % 48 + 80) } }
}
