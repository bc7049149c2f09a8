// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import LinuxSystem

/// A file beside the socket with one line, the state that a killed agent has left in the kernel: `INCARNATION MONITOR
/// INTERVAL WINDOW INTERVAL WINDOW UP`. The second interval and window are those of discovery; `-` stands for an absent
/// number, and UP is 1 for an adapter that was up.
struct KernelScanStateFile: Equatable, Sendable {
  private static let byteCountMax = 128

  let path: String

  /// Returns the state of the adapter that has this index now; empty if another adapter had the index, or without a
  /// file.
  func state(of index: UInt16) -> KernelScanState {
    guard let file = try? FileContents(reading: path, byteCountMax: Self.byteCountMax),
      let incarnation = AdapterSocket.incarnation(index)
    else { return KernelScanState() }
    return Self.parse(String(decoding: file.bytes, as: UTF8.self), incarnation: incarnation)
  }

  /// Stores the state, if possible. Without the file a killed agent's monitor stays until the adapter is removed.
  func note(_ state: KernelScanState, _ index: UInt16) {
    guard !state.isEmpty, let incarnation = AdapterSocket.incarnation(index) else {
      return FileName.remove(path)
    }
    try? DurableFile.replace(path, with: Array(Self.text(state, incarnation: incarnation).utf8))
  }

  static func text(_ state: KernelScanState, incarnation: UInt64) -> String {
    let numbers = [
      state.monitor, state.originalDuty?.interval, state.originalDuty?.window,
      state.originalDiscovery?.interval, state.originalDiscovery?.window, state.wasUp ? 1 : nil,
    ]
    return "\(incarnation) \(numbers.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " "))\n"
  }

  static func parse(_ text: String, incarnation: UInt64) -> KernelScanState {
    let fields = text.split { $0.isWhitespace }
    guard fields.count == 7, UInt64(fields[0]) == incarnation else { return KernelScanState() }
    let numbers = fields.map { UInt16($0) }
    let duty = pair(numbers[2], numbers[3]).map { KernelDuty(interval: $0, window: $1) }
    let discovery = pair(numbers[4], numbers[5]).map { KernelDuty(interval: $0, window: $1) }
    return KernelScanState(
      monitor: numbers[1], originalDuty: duty, originalDiscovery: discovery, wasUp: numbers[6] == 1)
  }

  private static func pair(_ first: UInt16?, _ second: UInt16?) -> (UInt16, UInt16)? {
    guard let first, let second else { return nil }
    return (first, second)
  }
}
