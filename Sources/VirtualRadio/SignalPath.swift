// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A device's mean level over time: straight lines between points; before the first and after the last point the level
/// is constant.
///
/// Two points at one time make a step.
public struct SignalPath: Equatable, Sendable {
  /// A mean level at a time.
  public struct Point: Equatable, Sendable, BitwiseCopyable {
    public var time: Instant
    /// dBm.
    public var level: Int

    public init(time: Instant, level: Int) {
      self.time = time
      self.level = level
    }

    public init(seconds: Int, milliseconds: Int = 0, level: Int) {
      time = Instant(microseconds: Int64(seconds) * 1_000_000 + Int64(milliseconds) * 1000)
      self.level = level
    }
  }

  private let points: [Point]

  /// `points` in the order of their times, at least one.
  public init(_ points: [Point]) {
    precondition(!points.isEmpty, "a path has at least one point")
    for (earlier, later) in zip(points, points.dropFirst()) {
      precondition(earlier.time <= later.time, "a path's points follow each other in time")
    }
    self.points = points
  }

  /// A device that does not move.
  public static func steady(_ level: Int) -> Self { Self([Point(seconds: 0, level: level)]) }

  /// The mean level at `time` in 1/65,536 dBm.
  func level(at time: Instant) -> Int {
    guard let next = points.firstIndex(where: { $0.time > time }) else {
      return points[points.count - 1].level << 16
    }
    guard next > 0 else { return points[0].level << 16 }
    let (from, to) = (points[next - 1], points[next])
    let elapsed = Int(time.microseconds - from.time.microseconds)
    let whole = Int(to.time.microseconds - from.time.microseconds)
    return from.level << 16 + ((to.level - from.level) << 16) * elapsed / whole
  }
}
