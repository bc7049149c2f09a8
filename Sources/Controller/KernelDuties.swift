// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How the kernel scans, in units of 625 µs.
public struct KernelDuty: Equatable, Sendable {
  /// The purpose of a scan: "LE Scanning Interval", and Window, "for discovery" and "for adv monitoring" of the default
  /// system configuration.
  public enum Purpose: Equatable, Sendable {
    case discovery, monitors

    /// Types of the parameters.
    var intervalType: UInt16 { self == .discovery ? 0x0011 : 0x0013 }
    var windowType: UInt16 { self == .discovery ? 0x0012 : 0x0014 }
  }

  public var interval: UInt16
  public var window: UInt16

  public init(interval: UInt16, window: UInt16) { (self.interval, self.window) = (interval, window) }

  /// Reads the duty from the parameters of Read Default System Configuration, which consist of type (2 bytes), length
  /// (1) and value; nil if they are missing or truncated.
  init?(_ returned: [UInt8], for purpose: Purpose) {
    var values: [UInt16: UInt16] = [:]
    var cursor = ByteCursor(returned.span.rawBytes)
    while let type = cursor.uint16(), let byteCount = cursor.uint8() {
      guard let bytes = cursor.bytes(Int(byteCount)) else { return nil }
      var value = ByteCursor(bytes)
      if byteCount == 2 { values[type] = value.uint16() }
    }
    guard let interval = values[purpose.intervalType], let window = values[purpose.windowType] else {
      return nil
    }
    self.init(interval: interval, window: window)
  }
}

/// How the kernel scans for monitors and for discovery: as the agent found it, and as it is now.
struct KernelDuties: Sendable {
  /// Whether the kernel lets its duties be read and set.
  private(set) var areSettable = true
  /// Whether the kernel's duties have been read.
  private(set) var areRead = false
  private(set) var monitors: KernelDuty?
  private var originalMonitors: KernelDuty?
  /// Changed only during the agent's own discovery, so that those of other programs are unaffected.
  private var discovery: KernelDuty?
  private var originalDiscovery: KernelDuty?

  /// `state` is what a killed agent left in the kernel.
  init(_ state: KernelScanState) {
    originalMonitors = state.originalDuty
    originalDiscovery = state.originalDiscovery
  }

  /// The duty for monitors to restore at the end; nil if it is unchanged.
  var changedMonitors: KernelDuty? { monitors == originalMonitors ? nil : originalMonitors }
  /// The duty for discovery to restore at the end; nil if it is unchanged.
  var changedDiscovery: KernelDuty? { discovery == originalDiscovery ? nil : originalDiscovery }

  /// Whether the kernel would discover with another duty, and the duty can be set.
  func mustSetDiscovery(to wanted: KernelDuty) -> Bool {
    areSettable && originalDiscovery != nil && discovery != wanted
  }

  /// Receives the reply to Read Default System Configuration.
  mutating func receiveDefaults(_ returned: [UInt8]) {
    areRead = true
    originalMonitors = originalMonitors ?? KernelDuty(returned, for: .monitors)
    discovery = KernelDuty(returned, for: .discovery)
    originalDiscovery = originalDiscovery ?? discovery
    // A kernel that does not report how it scans for monitors does not let it be set either.
    if originalMonitors == nil { areSettable = false }
  }

  /// Records that Set Default System Configuration succeeded. Its parameters have the form of the reply to the read
  /// command.
  mutating func noteSet(_ parameters: [UInt8]) {
    monitors = KernelDuty(parameters, for: .monitors) ?? monitors
    discovery = KernelDuty(parameters, for: .discovery) ?? discovery
  }

  /// Records that the kernel refused to read or set its duties.
  mutating func noteRefusal() { areSettable = false }

  /// Forgets all duties: they vanished with the adapter.
  mutating func forgetAll() {
    (monitors, originalMonitors, discovery, originalDiscovery) = (nil, nil, nil, nil)
  }
}
