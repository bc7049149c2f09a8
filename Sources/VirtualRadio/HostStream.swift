// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Reassembles the host's bytes, which may arrive in pieces of any size, into packets.
///
/// It holds at most one incomplete packet. A byte that begins no packet puts the stream out of step: from then on it
/// skips every byte up to a whole Reset command (Core Specification 5.4, Volume 4, Part A, 4).
struct HostStream: Sendable {
  enum Element: Equatable {
    case packet([UInt8])
    case outOfStep
  }

  private static let reset: [UInt8] = [1, 0x03, 0x0C, 0]
  private var pending: [UInt8] = []
  private var isOutOfStep = false

  /// The packets that these bytes complete.
  mutating func elements(of bytes: [UInt8]) -> [Element] {
    pending += bytes
    var elements: [Element] = []
    while let element = next() { elements.append(element) }
    return elements
  }

  private mutating func next() -> Element? {
    if isOutOfStep { return resumed() }
    do throws(PacketError) {
      guard case .packet(let byteCount) = try StreamFrame(measuring: pending.span.rawBytes) else {
        return nil
      }
      let packet = Array(pending[..<byteCount])
      pending.removeFirst(byteCount)
      return .packet(packet)
    } catch {
      isOutOfStep = true
      return .outOfStep
    }
  }

  /// The Reset command that brings the stream back into step, or nil while none has come.
  private mutating func resumed() -> Element? {
    let last = pending.count - Self.reset.count
    for start in stride(from: 0, through: last, by: 1)
    where pending[start] == Self.reset[0] && pending[start...].starts(with: Self.reset) {
      pending.removeFirst(start + Self.reset.count)
      isOutOfStep = false
      return .packet(Self.reset)
    }
    // Only the beginning of a Reset can be among the last three bytes.
    pending.removeFirst(max(0, last + 1))
    return nil
  }
}
