// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// The columns of a list and their widths: as many as fit, the important ones first.
struct PickerColumns: Equatable {
  /// How hints appear.
  enum Hints: Equatable { case none, short, long }

  private static let markerColumns = 2
  private static let nameColumnsMin = 10
  /// The gate's default threshold, in dBm.
  private static let atGatewayLevel: Int8 = -50
  private static let deviceCaptions = ["calls itself", "own name", "own"]
  /// Where some candidates are networks, and where all are.
  private static let mixedCaptions = ["own name, network", "own, network", "network", "net"]
  private static let networkCaptions = ["network", "net"]
  private static let mixedTailCaption = "address, security"

  let glyphs: Glyphs
  private let captionsOfDevice: [String]
  private let hasDevices: Bool
  private let hasNetworks: Bool
  private(set) var name = nameColumnsMin
  /// 0 for none.
  private(set) var device = 0
  private(set) var hasBars = false
  private(set) var hasUnit = false
  private(set) var hasAge = false
  private(set) var hasHistory = false
  private(set) var hints = Hints.none
  /// How many trailing bytes of the address are shown: as many as distinguish all devices, or all.
  private(set) var tail: Int

  init(_ rows: [PickerRow], columns: Int, glyphs: Glyphs) {
    self.glyphs = glyphs
    tail = Self.tail(rows.compactMap(\.line.address))
    let networkCount = rows.count { $0.line.isNetwork }
    (hasDevices, hasNetworks) = (networkCount < rows.count || rows.isEmpty, networkCount > 0)
    captionsOfDevice =
      !hasNetworks ? Self.deviceCaptions : hasDevices ? Self.mixedCaptions : Self.networkCaptions
    // Marker, name, level and address tail always appear.
    var left = columns - Self.markerColumns - name - " -44".count - (3 * tail + 1)
    func reserve(_ columns: Int) -> Bool {
      guard left >= columns else { return false }
      left -= columns
      return true
    }
    let names = rows.map { glyphs.shown($0.line.name, columnsMax: 28).columnCount }.max() ?? 0
    let devices = rows.compactMap(\.line.ownName).map { glyphs.shown($0, columnsMax: 28).columnCount }
    let longest = rows.map { Self.longHints($0.line).count }.max() ?? 0
    hasBars = reserve(5)
    if longest > 0, reserve(3) { hints = .short }
    hasAge = reserve(8)
    if let widest = devices.max(), reserve(13) { device = min(10, max(6, widest)) }
    grow(&name, to: min(16, names), &left)
    hasUnit = reserve(4)
    if hints == .short, reserve(longest - 2) { hints = .long }
    grow(&name, to: names, &left)
    if device > 0 { grow(&device, to: max(devices.max() ?? 0, captionsOfDevice[0].count), &left) }
    if reserve(3 * (6 - tail)) { tail = 6 }
    hasHistory = reserve(PickerRow.historyMax + 1)
  }

  private func grow(_ column: inout Int, to wanted: Int, _ left: inout Int) {
    let more = max(0, min(left, wanted - column))
    column += more
    left -= more
  }

  /// How many trailing bytes, at least two, make all addresses differ.
  static func tail(_ addresses: [DeviceAddress]) -> Int {
    let bits = Set(addresses.map(\.bits))
    return (2..<6).first { count in Set(bits.map { $0 & (1 << UInt64(8 * count) - 1) }).count == bits.count }
      ?? 6
  }

  // MARK: Lines

  var captions: ScreenLine {
    line(
      marker: "", name: "name",
      device: captionsOfDevice.first { $0.count <= device } ?? "", bars: "signal",
      level: hasBars ? "" : "dBm",
      history: "history", age: "heard",
      tail: captionOfTail, hints: "")
  }

  /// Over addresses and over how networks are protected; empty where there is no room for both.
  private var captionOfTail: String {
    guard hasDevices else { return "security" }
    guard hasNetworks else { return "address" }
    return Self.mixedTailCaption.count < 3 * tail ? Self.mixedTailCaption : ""
  }

  func line(_ row: PickerRow, isSelected: Bool, at now: Instant) -> ScreenLine {
    let line = row.line
    let hint: String
    switch hints {
    case .none: hint = ""
    case .short: hint = (line.isShared ? "+" : "") + (line.isIdentityDurable ? "" : "?")
    case .long: hint = Self.longHints(line)
    }
    return self.line(
      marker: isSelected ? glyphs.marker : "", name: glyphs.shown(line.name, columnsMax: name),
      device: line.ownName.map { glyphs.shown($0, columnsMax: max(1, device)) } ?? "",
      bars: glyphs.bars(row.isGone ? nil : line.level),
      level: row.isGone ? "gone" : line.level.map { "\($0)" } ?? "-",
      levelStyle: Self.style(row), history: glyphs.history(row.history), age: Self.age(row, at: now),
      tail: Self.tail(of: line, bytes: tail), hints: hint)
  }

  private func line(
    marker: String, name: String, device: String, bars: String, level: String, levelStyle: ScreenStyle = [],
    history: String, age: String, tail: String, hints: String
  ) -> ScreenLine {
    var line = ScreenLine()
    var column = 0
    func put(_ text: String, _ width: Int, gap: Int = 1, _ style: ScreenStyle = []) {
      line.move(to: column)
      line.append(text, style)
      column += width + gap
    }
    put(marker, Self.markerColumns, gap: 0)
    put(name, self.name, gap: self.device > 0 ? 2 : 1)
    if self.device > 0 { put(device, self.device, gap: 2) }
    if hasBars { put(bars, 4, gap: 1, levelStyle) }
    let isLevel = !level.isEmpty && level != "gone"
    put(level.paddedLeft(to: 4) + (hasUnit && isLevel ? " dBm" : ""), hasUnit ? 8 : 4, levelStyle)
    if hasHistory { put(history, PickerRow.historyMax) }
    if hasAge { put(age.paddedLeft(to: 6), 6, gap: 2) }
    put(tail, 3 * self.tail - 1)
    put(hints, 0)
    return line
  }

  /// Green at a level that the gate lets in by default, red when the candidate is gone. A network has no gate.
  private static func style(_ row: PickerRow) -> ScreenStyle {
    if row.isGone { return .bad }
    return !row.line.isNetwork && (row.line.level ?? .min) >= atGatewayLevel ? .good : []
  }

  // MARK: Words

  private static func longHints(_ line: CandidateLine) -> String {
    [line.isShared ? "shared" : nil, line.isIdentityDurable ? nil : "fleeting"].compactMap(\.self)
      .joined(separator: " ")
  }

  static func age(_ row: PickerRow, at now: Instant) -> String {
    if row.isGone { return "" }
    let seconds = row.age(at: now)
    if seconds < 2 { return "now" }
    return seconds < 100 ? "\(seconds) s" : "\(min(seconds / 60, 999)) m"
  }

  /// The end of the address, or how the network is protected.
  private static func tail(of line: CandidateLine, bytes: Int) -> String {
    if let security = line.security { return security.shortText }
    return String((line.address?.text ?? "").suffix(3 * bytes - 1))
  }
}

extension CandidateLine {
  /// How the device calls itself, or the network's name.
  fileprivate var ownName: AirText? { deviceName ?? ssid }
}

extension WirelessSecurity {
  /// At most five columns: as many as the tail of an address.
  fileprivate var shortText: String { self == .enterprise ? "eap" : rawValue }
}
