// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import HCI
import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText

/// How far a command is, on one line of the terminal of standard error; without a terminal nothing is shown.
///
/// The line is written again in place. ``clear()`` removes it before anything else is printed.
struct ProgressLine {
  /// How often it changes.
  static let intervalSeconds = 1
  private static let columnsUsual = 80

  private let isThere = StandardError.isTerminal
  private var isShown = false

  /// When to write the line next; nil without a terminal.
  func next(after now: MonotonicInstant) -> MonotonicInstant? {
    isThere ? now.advanced(seconds: Self.intervalSeconds) : nil
  }

  mutating func show(_ parts: [String?], left: MonotonicInstant?, at now: MonotonicInstant) {
    guard isThere else { return }
    isShown = true
    let seconds = left.map { max(0, ($0.nanoseconds - now.nanoseconds + 999_999_999) / 1_000_000_000) }
    let text = (parts + [seconds.map { "\($0) s left" }]).compactMap(\.self).joined(separator: ", ")
    let columns = (OutputFile.standardError().terminalColumnCount ?? Self.columnsUsual) - 1
    let row = text.foldedLines(to: columns).prefix { $0 != "\n" }
    StandardError.verbatim("\r\u{1B}[K" + AirText(Array(row.utf8)).sentence(columnsMax: max(1, columns)))
  }

  mutating func clear() {
    guard isShown else { return }
    isShown = false
    StandardError.verbatim("\r\u{1B}[K")
  }
}

/// The reports that the agent has received from devices since the progress began, for a ``ProgressLine``.
struct ReadingProgress {
  private let gateway: GatewayOptions
  /// How many reports of each device had come before it was first seen here.
  private var before: [DeviceAddress: UInt32] = [:]

  init(_ gateway: GatewayOptions) { self.gateway = gateway }

  /// `34 readings, -58 dBm`, of a device.
  mutating func parts(ofDevice bits: UInt64) -> [String?] {
    let devices = devices(all: true).filter { $0.address.bits == bits && $0.address.type != .anonymous }
    return reading(of: devices.first) ?? ["nothing received from the device yet"]
  }

  /// `2 devices match; the strongest: 34 readings, -58 dBm`, of the devices that match items of an app.
  mutating func parts(ofApp app: String, items: [String]) -> [String?] {
    let devices = devices(all: false).filter { device in
      device.items.contains { $0.app == app && (items.isEmpty || items.contains($0.item)) }
    }
    guard let strongest = reading(of: devices.min(by: DeviceLine.areStrongestFirst)) else {
      return ["no device in sight matches"]
    }
    let count = devices.count == 1 ? "1 device matches" : "\(devices.count) devices match; the strongest"
    return ["\(count): \(strongest[0] ?? "")"] + strongest.dropFirst()
  }

  /// `the network is in sight, -60 dBm`. An agent that does not list networks now gives no progress.
  func parts(ofNetwork name: AirText) -> [String?] {
    let reply = Result { () throws(ToolError) in try SetupAccessory.networksInSight(gateway) }
    guard case .success(let networks) = reply else { return [] }
    guard let network = networks.first(where: { $0.ssid == name }) else {
      return ["the network is not in sight"]
    }
    return ["the network is in sight", network.signal.map { "\($0) dBm" }]
  }

  private func reading(of device: DeviceLine?) -> [String?]? {
    guard let device else { return nil }
    let count = device.reports &- (before[device.address] ?? 0)
    return ["\(count) \(count == 1 ? "reading" : "readings")", device.filteredRSSI.map { "\($0) dBm" }]
  }

  /// An agent that does not answer now gives no progress.
  private mutating func devices(all: Bool) -> [DeviceLine] {
    let call = GatewayCall(all: all)
    let reply = Result { () throws(ToolError) in
      try gateway.callForList(GatewayMethodName.sightings, call.write) { line throws(JSONMemberError) in
        try line.objectIfPresent("device").map { line throws(JSONMemberError) in try DeviceLine(reading: line)
        }
      }
    }
    guard case .success(let devices) = reply else { return [] }
    for device in devices where before[device.address] == nil { before[device.address] = device.reports }
    return devices
  }
}

/// The progress of a request without a screen.
struct RequestProgress {
  private let app: String
  private let items: [String]
  /// The network that is to be chosen, instead of a device.
  private let network: AirText?
  private var line = ProgressLine()
  private var readings: ReadingProgress
  /// When the request ends by itself, as things are.
  var end: MonotonicInstant?

  init(_ gateway: GatewayOptions, app: String, items: [String], network: AirText?) {
    self.app = app
    self.items = items
    self.network = network
    readings = ReadingProgress(gateway)
  }

  /// Shows what is near and how much time is left, and returns when to do so next; nil without a terminal.
  mutating func show() throws(SystemError) -> MonotonicInstant? {
    let now = try MonotonicInstant.now()
    guard let next = line.next(after: now) else { return nil }
    let parts = network.map(readings.parts) ?? readings.parts(ofApp: app, items: items)
    line.show(parts, left: end, at: now)
    return next
  }

  mutating func clear() { line.clear() }
}
