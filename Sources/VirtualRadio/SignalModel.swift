// SPDX-License-Identifier: GPL-3.0-or-later

/// How strongly a device is received: a mean that moves along a path, and what the scene does to it.
///
/// Each packet's level is mean + channel offset + Gaussian noise - fade, rounded to whole dBm; some packets are
/// lost. Decibels in tenths.
public struct SignalModel: Equatable, Sendable {
  public var path: SignalPath
  /// Standard deviation of the noise.
  public var sigmaTenths: Int
  /// What channels 37, 38 and 39 add to the mean: the antenna's and the multipath's signature.
  public var channelOffsetsTenths: ChannelOffsets
  public var fades: Fades
  /// Packets in a thousand that are lost, beyond what the scan schedule misses.
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

  /// Times when something stands in the way.
  public struct Fades: Equatable, Sendable, BitwiseCopyable {
    /// Packets in a thousand with which a fade begins.
    public var startsPerMille: Int
    /// What a fade takes away.
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
