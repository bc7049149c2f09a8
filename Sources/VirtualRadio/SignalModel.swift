// SPDX-License-Identifier: GPL-3.0-or-later

/// The level with which a device is received: a mean that moves along a path, and the disturbances of the scene.
///
/// Each packet's level is: mean + channel offset + Gaussian noise - fade, rounded to whole dBm; some packets are
/// lost. Decibels in tenths.
public struct SignalModel: Equatable, Sendable {
  public var path: SignalPath
  /// Standard deviation of the noise.
  public var sigmaTenths: Int
  /// The offsets of channels 37, 38 and 39 from the mean, which antenna and multipath cause.
  public var channelOffsetsTenths: ChannelOffsets
  public var fades: Fades
  /// Lost packets in a thousand, besides those that the scan schedule misses.
  public var lossPerMille: Int

  public init(
    _ path: SignalPath, sigmaTenths: Int = 20, channelOffsetsTenths: ChannelOffsets = ChannelOffsets(),
    fades: Fades = .none, lossPerMille: Int = 0
  ) {
    self.path = path
    self.sigmaTenths = sigmaTenths
    self.channelOffsetsTenths = channelOffsetsTenths
    self.fades = fades
    self.lossPerMille = lossPerMille
  }

  /// One offset for each advertising channel.
  public struct ChannelOffsets: Equatable, Sendable, BitwiseCopyable {
    public var first: Int
    public var second: Int
    public var third: Int

    public init(_ first: Int = 0, _ second: Int = 0, _ third: Int = 0) {
      self.first = first
      self.second = second
      self.third = third
    }

    public subscript(_ channel: AdvertisingChannel) -> Int {
      switch channel {
      case .first: first
      case .second: second
      case .third: third
      }
    }
  }

  /// Times when an obstruction weakens the signal.
  public struct Fades: Equatable, Sendable, BitwiseCopyable {
    /// In how many of a thousand packets a fade begins.
    public var startsPerMille: Int
    /// By how much a fade lowers the level.
    public var depthTenths: Int
    public var milliseconds: Int

    public init(startsPerMille: Int, depthTenths: Int, milliseconds: Int) {
      self.startsPerMille = startsPerMille
      self.depthTenths = depthTenths
      self.milliseconds = milliseconds
    }

    public static var none: Self { Self(startsPerMille: 0, depthTenths: 0, milliseconds: 0) }
  }
}
