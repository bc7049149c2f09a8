// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import Controller
import Testing

@Suite("What a killed agent has left in an adapter")
struct KernelScanStateFileTests {
  @Test(
    "It is read as it was written",
    arguments: [
      KernelScanState(monitor: 7, originalDuty: KernelDuty(interval: 96, window: 48)),
      KernelScanState(monitor: 65535),
      KernelScanState(originalDuty: KernelDuty(interval: 4, window: 4)),
      KernelScanState(originalDiscovery: KernelDuty(interval: 18, window: 18)), KernelScanState(wasUp: true),
    ])
  func roundTrip(state: KernelScanState) {
    let text = KernelScanStateFile.text(state, incarnation: 42)
    #expect(KernelScanStateFile.parse(text, incarnation: 42) == state)
  }

  @Test("Another adapter with the same index has none of it: handles of others are left alone")
  func otherAdapter() {
    let text = KernelScanStateFile.text(KernelScanState(monitor: 7), incarnation: 42)
    #expect(KernelScanStateFile.parse(text, incarnation: 43).isEmpty)
  }

  @Test(
    "A file that says something else says nothing",
    arguments: [
      "", "42", "42 7 96 48", "42 7 96 48 18 18 1 1", "42 65536 - - - - -", "42 -1 - - - - -",
      "x 7 - - - - -", "42 seven - 48 - 18 4",
    ])
  func foreign(text: String) {
    #expect(KernelScanStateFile.parse(text, incarnation: 42).isEmpty)
  }
}
