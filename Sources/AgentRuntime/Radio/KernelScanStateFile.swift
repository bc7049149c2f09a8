// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import LinuxSystem

/// A line beside the socket that says what a killed agent has left in the kernel: `INCARNATION MONITOR INTERVAL WINDOW
/// INTERVAL WINDOW UP`, the second two of discovery, with `-` for what there is not and 1 for an adapter that was up.
struct KernelScanStateFile: Equatable, Sendable {
  private static let byteCountMax = 128

  let path: String

  /// What is left in the adapter that has this index now; nothing where another one had it, or the file says nothing.
  func state(of index: UInt16) -> KernelScanState {
    guard let file = try? FileContents(reading: path, byteCountMax: Self.byteCountMax),
      let incarnation = AdapterSocket.incarnation(index)
    else { return KernelScanState() }
    return Self.parse(String(decoding: file.bytes, as: UTF8.self), incarnation: incarnation)
  }

  /// Best effort: without it a monitor stays until the adapter goes, should the agent be killed.
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
    let words = text.split { $0.isWhitespace }
    guard words.count == 7, UInt64(words[0]) == incarnation else { return KernelScanState() }
    let numbers = words.map { UInt16($0) }
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
