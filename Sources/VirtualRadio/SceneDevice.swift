// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One advertiser in a scene: what it sends, when, and how strongly it is heard.
public struct SceneDevice: Equatable, Sendable {
  /// What the scene's script calls it; nobody hears it.
  public var name = ""
  public var address: AddressPlan
  public var advertising: Advertising
  public var payloads: PayloadScript
  /// What it answers to a scan request; nil when it never answers.
  public var scanResponse: AdvertisingPayload?
  public var intervalMilliseconds: Int
  /// The most that chance adds to each interval.
  public var jitterMilliseconds = AdvertisingClock.jitterMilliseconds
  public var signal: SignalModel
  /// When it is switched on and within earshot, in order.
  public var presence: [Range<Instant>]
  /// False for a device whose packets the controller cannot measure: RSSI 127.
  public var hasReading = true

  public init(
    _ address: AddressPlan, _ advertising: Advertising = .legacy(.connectable), payloads: PayloadScript,
    scanResponse: AdvertisingPayload? = nil, intervalMilliseconds: Int, signal: SignalModel,
    presence: [Range<Instant>] = [.always]
  ) {
    self.address = address
    self.advertising = advertising
    self.payloads = payloads
    self.scanResponse = scanResponse
    self.intervalMilliseconds = intervalMilliseconds
    self.signal = signal
    self.presence = presence
  }
}

extension Range<Instant> {
  /// From the beginning to the end.
  public static var always: Self { Instant(microseconds: 0)..<Instant(microseconds: .max) }

  /// A range in whole seconds.
  public static func seconds(_ start: Int64, _ end: Int64) -> Self {
    Instant(microseconds: start * 1_000_000)..<Instant(microseconds: end * 1_000_000)
  }
}
