// SPDX-License-Identifier: GPL-3.0-or-later

/// When a device counts as being at the gateway, and when it is gone; one set per display item.
///
/// Levels are dBm after the adapter offset, path losses dB, times milliseconds.
public struct GateSettings: Equatable, Sendable, BitwiseCopyable {
  /// Whether the item has the immediate gate; without it a match alone makes a sighting.
  public var isImmediate = false

  /// The filtered level at or above which a device may enter.
  public var enterRSSI: Int8 = -50
  /// The filtered level below which a device that is inside starts to leave.
  public var leaveRSSI: Int8 = -58
  /// The device's transmit power as the integrator states it: with it the path loss decides instead of the level.
  public var txPower: Int8?
  /// With `txPower`: the path loss at or below which a device may enter.
  public var enterPathLoss: Int16 = 50
  /// With `txPower`: the path loss above which a device that is inside starts to leave.
  public var leavePathLoss: Int16 = 58

  public var enterDwellMilliseconds: Int32 = 400
  public var leaveDwellMilliseconds: Int32 = 2000

  /// Valid samples needed to enter, within max(`sampleWindowMilliseconds`, 4 x the learned interval), at most
  /// `sampleWindowMillisecondsMax`.
  public var samplesMin: UInt8 = 3
  public var sampleWindowMilliseconds: Int32 = 2000
  public var sampleWindowMillisecondsMax: Int32 = 12_000

  /// How many learned intervals a silence lasts. Three are enough for a radio that listens all the time.
  public var patienceFactor: UInt8 = 3
  /// A device inside the immediate gate leaves after a silence of max(this, `patienceFactor` x the learned interval).
  public var silenceMilliseconds: Int32 = 5000
  public var silenceMillisecondsMax: Int32 = 30_000

  /// A device of a default-range item is lost after a silence of max(this, `patienceFactor` x the learned interval, 3 or 4
  /// x its rhythm + this).
  public var lostMilliseconds: Int32 = 10_000
  /// Four days: with less, a device that sends once a day would be lost whenever it is late.
  public var lostMillisecondsMax: Int32 = 345_600_000

  /// A frame that alternates with others is reported once it was the only one for this time; and after a silence of this
  /// a match gives way to any newcomer where the item is full.
  public var settlingMilliseconds: Int32 = 10_000
  /// A device's `changed` events of the item come no more often than this.
  public var changedMilliseconds: Int32 = 1000

  public init() {}
}
