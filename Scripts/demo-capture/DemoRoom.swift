// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import VirtualRadio

/// The room that a first run shows: some thirty devices and seventy seconds, made to fit `Config/accessoryd.toml`.
///
///      0 s  legacy scanning; thermometers, a strip of lights, a beacon, tags and strangers are there
///      3 s  a camera is plugged in; at 4 s a hand wakes the lock; at 6 s keys come in, at 15 s a bike
///     10 s  a bulb is carried to the gateway, held there from 12 s to 31 s, and carried away until 34 s
///     20 s  extended scanning: a weather station, a far sensor, broadcasters are heard from now on
///     24 s  the balcony's thermometer falls silent until 44 s; the wallet takes its second address
///     37 s  the strip goes dark to be updated, and is back at 52 s
///     46 s  a new bulb comes out of its box, and is held against the gateway from 49 s to 60 s
public enum DemoRoom {
  public static var seconds: Int { 70 }
  /// When the host changes from legacy to extended scanning.
  static var extendedSeconds: Int { 20 }
  static var seed: UInt64 { 0xACCE_5502 }

  public static var devices: [RoomDevice] {
    lights + sensors + accessories + tags + strangers + extendedStrangers
  }

  /// The wallet's key and identity: with them in the identity key file its addresses are one device.
  public static var walletKey: IdentityKey {
    IdentityKey(
      key: Block128(high: 0x8F1C_6E20_B7D3_4A95, low: 0x0D62_E9F4_7135_A8CB),
      identity: DeviceAddress(bits: 0xD0E3_4C5B_0201, type: .random))
  }
}

extension SignalModel {
  /// A device that stays where it is, with a room's usual noise.
  static func still(_ level: Int, lossPerMille: Int = 50) -> Self { room(.steady(level), lossPerMille) }

  /// A device that is carried from `far` to `near` and back: away until the first time, near from the second
  /// to the third, away again at the last. Milliseconds.
  static func carried(from far: Int, to near: Int, _ times: (Int, Int, Int, Int)) -> Self {
    let point = { SignalPath.Point(seconds: 0, milliseconds: $0, level: $1) }
    return room(
      SignalPath([point(times.0, far), point(times.1, near), point(times.2, near), point(times.3, far)]), 20)
  }

  private static func room(_ path: SignalPath, _ lossPerMille: Int) -> Self {
    SignalModel(
      path, sigmaTenths: 22, channelOffsetsTenths: ChannelOffsets(10, -5, -15),
      fades: Fades(startsPerMille: 4, depthTenths: 90, milliseconds: 300), lossPerMille: lossPerMille)
  }
}
