// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import VirtualRadio

/// Report events at an even rate, prepared in advance so that sending them costs little.
///
/// An event that falls due while the controller does not scan is withheld, not delayed.
public struct ReportLoad: Sendable {
  /// The kinds of reports in the events.
  public enum Kind: String, Sendable {
    /// Legacy reports of 31 bytes.
    case legacy
    /// Extended events with legacy reports, extended reports, and chains of three.
    case mixed
  }

  private let packets: [[UInt8]]
  /// Events a second; nil sends them as fast as possible.
  private let rate: Int?
  private let count: Int
  private let start: Instant
  /// Events that have fallen due so far.
  public private(set) var done = 0

  /// `count` events in all, from `addressCount` devices in turn. Of a hundred devices `targets` have manufacturer data of
  /// 0x0EEE that begins with a5 5a 00 10; the others have another company's.
  public init(
    _ kind: Kind, rate: Int?, count: Int, addressCount: Int, targets: Int = 10, from start: Instant
  ) {
    self.rate = rate
    self.count = count
    self.start = start
    packets = (0..<addressCount).flatMap {
      Self.packets(kind, device: $0, isTarget: $0 * targets % 100 < targets)
    }
  }

  public var isOver: Bool { done >= count }

  /// When the next event falls due; nil when there are no more.
  public var nextTime: Instant? {
    guard !isOver else { return nil }
    return rate.map { start.advanced(microseconds: Int64(done) * 1_000_000 / Int64($0)) } ?? start
  }

  /// The next event that is due by `now`.
  public mutating func next(at now: Instant) -> [UInt8]? {
    guard let time = nextTime, time <= now else { return nil }
    defer { done += 1 }
    return packets[done % packets.count]
  }

  private static func packets(_ kind: Kind, device: Int, isTarget: Bool) -> [[UInt8]] {
    let address = DeviceAddress(bits: 0xC4A1_0000_0000 + UInt64(device), type: .random)
    let level = Int8(-45 - device % 45)
    let data = payload(device, isTarget, bytes: 24)
    let legacy = AirReport(.nonConnectable, from: address, rssi: level, data)
    guard kind == .mixed else { return [ReportEncoder.event(.legacy, [legacy])] }
    switch device % 4 {
    case 0, 1: return [ReportEncoder.event(.extended, [legacy.asExtended])]
    case 2: return [ReportEncoder.event(.extended, [extended(address, level, data)])]
    default:
      let long = payload(device, isTarget, bytes: 250)
        .raw(payload(device, isTarget, bytes: 250).bytes)
      return extended(address, level, long).fragments(of: 200)
        .map { ReportEncoder.event(.extended, [$0]) }
    }
  }

  private static func extended(_ address: DeviceAddress, _ level: Int8, _ data: AdvertisingPayload)
    -> AirReport
  {
    AirReport(
      extendedFrom: address, set: 1, properties: ReportHeader.Properties(rawValue: 0), rssi: level, data)
  }

  /// Flags and `bytes` bytes of manufacturer data, its company included.
  private static func payload(_ device: Int, _ isTarget: Bool, bytes: Int) -> AdvertisingPayload {
    let head: [UInt8] = isTarget ? [0xA5, 0x5A, 0x00, 0x10] : [0x12, UInt8(device & 0xFF)]
    let rest = (0..<(bytes - 2 - head.count)).map { UInt8(($0 &* 7 &+ device) & 0xFF) }
    return AdvertisingPayload().flags(0x06)
      .manufacturerData(isTarget ? 0x0EEE : 0x004C, head + rest)
  }
}

extension Instant {
  fileprivate func advanced(microseconds delta: Int64) -> Instant {
    Instant(microseconds: microseconds + delta)
  }
}
