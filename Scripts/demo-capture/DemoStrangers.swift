// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// What else is on the air: phones, a laptop, beacons, a band, things that call for their hosts.
extension DemoRoom {
  static var strangers: [RoomDevice] {
    [phone, otherPhone, android, laptop, eddystone, band, broken, remote, keyboard]
  }

  private static var phone: RoomDevice {
    applePhone(key: Block128(high: 0x11, low: 0x2233), rotationSeconds: 25, status: 0x1B, .still(-58))
  }

  private static var otherPhone: RoomDevice {
    applePhone(key: Block128(high: 0x44, low: 0x5566), rotationSeconds: 31, status: 0x05, .still(-77))
  }

  /// Apple's "nearby" message: a status and a tag that changes.
  private static func applePhone(
    key: Block128, rotationSeconds: Int, status: UInt8, _ signal: SignalModel
  ) -> RoomDevice {
    let payloads = (0..<8).map { turn in
      AdvertisingPayload().flags(0x1A).txPowerLevel(12)
        .manufacturerData(0x004C, [0x10, 0x05, status, 0x1C, 0x3E &+ turn &* 37, 0xA0, 0x51])
    }
    return RoomDevice(
      .resolvable(key: key, rotationSeconds: rotationSeconds),
      payloads: PayloadScript(cycle: payloads, turnMilliseconds: 11_000), scanResponse: AdvertisingPayload(),
      intervalMilliseconds: 520, signal: signal)
  }

  private static var android: RoomDevice {
    RoomDevice(
      .nonResolvable(rotationSeconds: 20), .legacy(.scannable),
      payloads: PayloadScript(
        AdvertisingPayload().serviceData(
          BluetoothUUID(short: 0xFEF3), [0x4A, 0x17, 0x23, 0x44, 0x48, 0x35, 0x52, 0x11])),
      scanResponse: AdvertisingPayload(), intervalMilliseconds: 480, signal: .still(-79))
  }

  /// Microsoft's device beacon.
  private static var laptop: RoomDevice {
    let salted = (0..<20).map { UInt8(($0 * 73 + 41) & 0xFF) }
    return RoomDevice(
      .nonResolvable(rotationSeconds: 35), .legacy(.nonConnectable),
      payloads: PayloadScript(
        AdvertisingPayload().manufacturerData(0x0006, [0x01, 0x09, 0x20, 0x22] + salted)),
      intervalMilliseconds: 400, signal: .still(-67))
  }

  /// A URL, and now and then the beacon's telemetry: version, millivolts, degrees, packets, tenths of seconds.
  private static var eddystone: RoomDevice {
    let uuid = BluetoothUUID(short: 0xFEAA)
    let head = AdvertisingPayload().flags(0x06).services(uuid)
    let url = head.serviceData(uuid, [0x10, 0xEE, 0x03] + Array("lumo.example".utf8))
    let telemetry = (0..<12).map { (turn: UInt8) in
      head.serviceData(uuid, [0x20, 0, 0x0B, 0xB8, 0x16, 0, 0, 0, 4, 2 &* turn, 0, 0, 0x10, 21 &* turn])
    }
    return RoomDevice(
      .staticRandom(0xF0BE_AC00_0200), .legacy(.nonConnectable),
      payloads: PayloadScript(cycle: telemetry.flatMap { [url, url, $0] }, turnMilliseconds: 2000),
      intervalMilliseconds: 500, signal: .still(-74))
  }

  static var bandAddress: UInt64 { 0xEC11_9A7D_0042 }

  /// Silent while the host is connected to it.
  private static var band: RoomDevice {
    RoomDevice(
      .staticRandom(bandAddress),
      payloads: PayloadScript(
        AdvertisingPayload().flags(0x06).appearance(0x00C1)
          .services(BluetoothUUID(short: 0x180D), BluetoothUUID(short: 0x180F))),
      scanResponse: AdvertisingPayload().name("Pulse band 3").txPowerLevel(4), intervalMilliseconds: 450,
      signal: .still(-63), presence: [.seconds(0, 5), .seconds(17, 70)])
  }

  /// A structure that claims more octets than follow.
  private static var broken: RoomDevice {
    RoomDevice(
      .public(0x0018_8000_BAD1), .legacy(.nonConnectable),
      payloads: PayloadScript(AdvertisingPayload().flags(0x06).raw([0x1B, 0xFF, 0x59, 0x00, 0x01, 0x02])),
      intervalMilliseconds: 800, signal: .still(-76))
  }

  /// Calls for its host, whose address is public.
  private static var remote: RoomDevice {
    RoomDevice(
      .public(0x0018_8000_4E07), .directed(to: DeviceAddress(bits: DemoCapture.hostAddress, type: .public)),
      payloads: PayloadScript(AdvertisingPayload()), intervalMilliseconds: 50, signal: .still(-56),
      presence: [.seconds(10, 12)])
  }

  /// Calls for a host that hides behind a private address; nobody here can tell who it is.
  private static var keyboard: RoomDevice {
    RoomDevice(
      .staticRandom(0xEA00_51C2_3307), .directed(to: DeviceAddress(bits: 0x5B2C_90D1_44E8, type: .random)),
      payloads: PayloadScript(AdvertisingPayload()), intervalMilliseconds: 50, signal: .still(-65),
      presence: [.seconds(16, 18), .seconds(57, 58)])
  }
}
