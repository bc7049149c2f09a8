// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The bytes that come from the host, cut into packets wherever they were cut on their way.
///
/// It holds at most one packet that has begun. An byte that begins no packet brings the stream out of step: from then
/// on everything is passed over until a whole Reset command (Core Specification 5.4, Volume 4, Part A, 4).
struct HostStream: Sendable {
  enum Element: Equatable {
    case packet([UInt8])
    case outOfStep
  }

  private static let reset: [UInt8] = [1, 0x03, 0x0C, 0]
  private var begun: [UInt8] = []
  private var isOutOfStep = false

  /// What the bytes complete.
  mutating func elements(of bytes: [UInt8]) -> [Element] {
    begun += bytes
    var elements: [Element] = []
    while let element = next() { elements.append(element) }
    return elements
  }

  private mutating func next() -> Element? {
    if isOutOfStep { return resumed() }
    do throws(PacketError) {
      guard case .packet(let byteCount) = try StreamFrame(measuring: begun.span.rawBytes) else { return nil }
      let packet = Array(begun[..<byteCount])
      begun.removeFirst(byteCount)
      return .packet(packet)
    } catch {
      isOutOfStep = true
      return .outOfStep
    }
  }

  /// The Reset command that ends the search.
  private mutating func resumed() -> Element? {
    let last = begun.count - Self.reset.count
    for start in stride(from: 0, through: last, by: 1)
    where begun[start] == Self.reset[0] && begun[start...].starts(with: Self.reset) {
      begun.removeFirst(start + Self.reset.count)
      isOutOfStep = false
      return .packet(Self.reset)
    }
    // Only the beginning of a Reset can be among the last three bytes.
    begun.removeFirst(max(0, last + 1))
    return nil
  }
}
