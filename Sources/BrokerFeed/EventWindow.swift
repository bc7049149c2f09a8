// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient

/// Messages that are sent in order, and stay until the broker has acknowledged them.
///
/// Capacity: the owner stops adding while ``isFull``, which is at twice ``width``; what one read of the socket brings still
/// fits.
public struct EventWindow<Message: Sendable>: Sendable {
  private struct Entry: Sendable {
    let message: Message
    /// The position after it.
    let cursor: EventCursor
    /// Whether nothing else is on its way beside it.
    let isBarrier: Bool
    /// The publication that it is sent by.
    var number: Int?
    /// When it was sent; nil while it is not on its way.
    var time: Duration?
    var isAcknowledged = false
  }

  public let width: Int
  private var entries: [Entry] = []

  public init(width: Int) { self.width = width }

  public var isFull: Bool { entries.count >= 2 * width }
  /// Whether messages may be added again.
  public var hasSpace: Bool { entries.count <= width }
  public var isEmpty: Bool { entries.isEmpty }
  /// Whether something that was sent on this connection waits for its acknowledgement.
  public var isWaiting: Bool { entries.contains { $0.number != nil && !$0.isAcknowledged } }
  /// When the oldest that is on its way was sent.
  public var oldestTime: Duration? { entries.compactMap(\.time).min() }

  /// Adds a message. A barrier is sent when everything before it is acknowledged, and nothing after it is sent earlier.
  public mutating func add(_ message: Message, next cursor: EventCursor, isBarrier: Bool = false) {
    entries.append(Entry(message: message, cursor: cursor, isBarrier: isBarrier))
  }

  /// The message to send next, which is at most ``width`` after the oldest that is not acknowledged. It gets `number`
  /// unless it has one.
  public mutating func sendNext(at time: Duration, number: Int) -> (number: Int, message: Message)? {
    guard let index = entries.firstIndex(where: { $0.time == nil && !$0.isAcknowledged }), index < width,
      index == 0 || !(entries[index].isBarrier || entries[0].isBarrier)
    else { return nil }
    let own = entries[index].number ?? number
    (entries[index].number, entries[index].time) = (own, time)
    return (own, entries[index].message)
  }

  /// The broker has a publication. Returns the position after the messages that it has without a gap, if that has moved.
  public mutating func acknowledge(_ number: Int) -> EventCursor? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    (entries[index].isAcknowledged, entries[index].time) = (true, nil)
    var cursor: EventCursor?
    while let first = entries.first, first.isAcknowledged {
      cursor = first.cursor
      entries.removeFirst()
    }
    return cursor
  }

  /// Whether a publication is one of a message that is not acknowledged.
  public func has(_ number: Int) -> Bool { entries.contains { $0.number == number && !$0.isAcknowledged } }

  /// What was sent until `time` is sent again, by the same number.
  public mutating func repeatSent(until time: Duration) {
    for index in entries.indices where entries[index].time.map({ $0 <= time }) ?? false {
      entries[index].time = nil
    }
  }

  /// The connection has ended: what is not acknowledged is sent again on the next one, by other numbers.
  public mutating func disconnect() {
    for index in entries.indices { (entries[index].number, entries[index].time) = (nil, nil) }
  }

  public mutating func removeAll() { entries = [] }
}
