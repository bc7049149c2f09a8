// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One device's signal over time: the model, its random numbers, and the current fade.
public struct SimulatedSignal: Sendable {
  public let model: SignalModel
  private var dice: SeededGenerator
  private var fadeEnd = Instant(microseconds: .min)

  public init(_ model: SignalModel, dice: SeededGenerator) {
    self.model = model
    self.dice = dice
  }

  /// The level of a packet on `channel` at `time`, in dBm, or nil when the packet is lost. Times must not run
  /// backwards. A level outside a controller's range (-127...20) becomes the nearest one in it.
  public mutating func level(at time: Instant, channel: AdvertisingChannel) -> Int8? {
    level(at: time, place: time, channel: channel)
  }

  /// `place` is the time on the path, which may restart while fades continue.
  mutating func level(at time: Instant, place: Instant, channel: AdvertisingChannel) -> Int8? {
    let noise = dice.gaussian() &* model.sigmaTenths
    let isLost = dice.chance(perMille: model.lossPerMille)
    let tenths = model.channelOffsetsTenths[channel] &- fadeDepth(at: time)
    guard !isLost else { return nil }
    let level = model.path.level(at: place) &+ (tenths << 16 &+ noise) / 10
    return Int8(max(-127, min(20, (level &+ 0x8000) >> 16)))
  }

  private mutating func fadeDepth(at time: Instant) -> Int {
    if dice.chance(perMille: model.fades.startsPerMille) {
      fadeEnd = time.advanced(milliseconds: Int64(model.fades.milliseconds))
    }
    return time < fadeEnd ? model.fades.depthTenths : 0
  }
}
