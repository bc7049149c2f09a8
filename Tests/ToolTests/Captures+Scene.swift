// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

extension Captures {
  static let thermometer = DeviceAddress(bits: 0xA4C1_38FE_43F8, type: .public)
  static let impostor = DeviceAddress(bits: 0xC000_0000_00FF, type: .random)
  static let unknownDevice = DeviceAddress(bits: 0x7000_0000_0001, type: .random)

  /// Half a minute: a bulb that is carried to the gateway and away again, a thermometer that measures, a device that
  /// looks almost like the bulb and has a hostile name, and an unknown device.
  static let scene: [UInt8] = {
    var packets: [(Int64, [UInt8])] = []
    for step in Int64(0)..<120 {
      packets.append((step * 100, report(bulb, rssi: bulbLevel(step), bulbPayload)))
      packets.append(
        (step * 100 + 1, response(bulb, rssi: bulbLevel(step), AdvertisingPayload().name("Lumo bulb"))))
    }
    for step in Int64(0)..<30 {
      packets.append((step * 1000 + 37, report(thermometer, rssi: -71, thermometerPayload(UInt8(step / 10)))))
      packets.append((step * 1000 + 59, report(impostor, rssi: -45, impostorPayload)))
      packets.append((step * 1000 + 83, report(unknownDevice, rssi: 127, AdvertisingPayload().flags(6))))
    }
    return capture(packets.sorted { $0.0 < $1.0 })
  }()

  /// Far, near from the third second to the sixth, far.
  /// The bulb for 40 s, and then another device alone for 60 s.
  static let departed: [UInt8] = capture(
    (Int64(0)..<80).map { ($0 * 500, report(bulb, rssi: -70, bulbPayload)) }
      + (Int64(40)..<100).map { ($0 * 1000, report(unknownDevice, rssi: -60, AdvertisingPayload().flags(6))) }
  )

  private static func bulbLevel(_ step: Int64) -> Int8 { (30..<60).contains(step) ? -38 : -78 }

  private static let bulbPayload = AdvertisingPayload().flags(6).manufacturerData(
    0x0EEE, [0xA5, 0x5A, 0x07, 0x12])

  private static func thermometerPayload(_ measured: UInt8) -> AdvertisingPayload {
    AdvertisingPayload().flags(6).serviceData(BluetoothUUID(short: 0xFCD2), [0x40, 0x02, measured, 0x09])
  }

  private static let impostorPayload = AdvertisingPayload()
    .manufacturerData(0x0EEE, [0xA5, 0x5A, 0x07, 0x22])
    .structure(.completeName, [0x6C, 0x75, 0x6D, 0x6F, 0x1B, 0x5B, 0x32, 0x4A, 0xFF])

  private static func report(_ address: DeviceAddress, rssi: Int8, _ payload: AdvertisingPayload) -> [UInt8] {
    ReportEncoder.event(.legacy, AirReport(.connectable, from: address, rssi: rssi, payload))
  }

  private static func response(_ address: DeviceAddress, rssi: Int8, _ payload: AdvertisingPayload) -> [UInt8]
  {
    ReportEncoder.event(.legacy, AirReport(.scanResponse, from: address, rssi: rssi, payload))
  }
}
