// SPDX-License-Identifier: GPL-3.0-or-later

/// Messages of the latest events, so that each is made once however many watch.
///
/// Capacity: 64 events; a later one takes the place of the one 64 before it, which is then made anew for whoever
/// comes so late.
struct RenderedEvents: Sendable {
  private static let capacity: UInt64 = 64

  private var messages = [(sequence: UInt64, message: [UInt8])?](repeating: nil, count: Int(capacity))

  subscript(_ sequence: UInt64) -> [UInt8]? {
    get {
      guard let entry = messages[Int(sequence % Self.capacity)], entry.sequence == sequence else {
        return nil
      }
      return entry.message
    }
    set { messages[Int(sequence % Self.capacity)] = newValue.map { (sequence, $0) } }
  }
}
