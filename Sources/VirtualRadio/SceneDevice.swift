// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One advertiser in a scene: what it sends, when, and with which level it is received.
public struct SceneDevice: Equatable, Sendable {
  /// Its name in the scene's script; no packet carries it.
  public var name = ""
  public var address: AddressPlan
  public var advertising: Advertising
  public var payloads: PayloadScript
  /// Its scan response; nil when it answers no scan request.
  public var scanResponse: AdvertisingPayload?
  public var intervalMilliseconds: Int
  /// The longest random delay added to each interval.
  public var jitterMilliseconds = AdvertisingClock.jitterMilliseconds
  public var signal: SignalModel
  /// When it is switched on and in range, in order.
  public var presence: [Range<Instant>]
  /// False for a device whose level the controller cannot measure: RSSI 127.
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

/// A device's payloads over time, which take turns, for ever.
public struct PayloadScript: Equatable, Sendable {
  private let payloads: [AdvertisingPayload]
  private let turnMilliseconds: Int

  /// A payload that never changes.
  public init(_ payload: AdvertisingPayload) { self.init(cycle: [payload], turnMilliseconds: 1) }

  /// Each payload for `turnMilliseconds`; after the last one comes the first again.
  public init(cycle payloads: [AdvertisingPayload], turnMilliseconds: Int) {
    precondition(!payloads.isEmpty && turnMilliseconds > 0, "a cycle has a payload and a turn")
    self.payloads = payloads
    self.turnMilliseconds = turnMilliseconds
  }

  public func payload(at time: Instant) -> AdvertisingPayload {
    payloads[Int(time.microseconds / 1000) / turnMilliseconds % payloads.count]
  }
}
