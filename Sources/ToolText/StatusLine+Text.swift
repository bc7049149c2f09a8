// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

extension StatusLine {
  /// The status: the radio and problems first, then numbers.
  public func text(_ style: TextStyle = .plain) -> String {
    var rows = TextRows(indent: 0, labelColumnCount: 10, style)
    let running = "running for \(time.roughText)"
    rows.line("\(style.strong("accessoryd \(Self.shown(version))")), \(running)")
    radio.describe(in: &rows, style)
    if let filter = radio.filter { rows.row("filter", Self.shown(filter)) }
    listening?.describe(in: &rows)
    wifi?.describe(in: &rows, style)
    if problems.isEmpty { rows.row("problems", "none") }
    for problem in problems {
      rows.line(style.bad("problem") + "   " + Self.shown(problem.kind))
      rows.row("", Self.shown(problem.sentence))
    }
    for warning in warnings { rows.row("warning", Self.shown(warning.sentence)) }
    describeRequests(in: &rows)
    if items == nil, let digest { rows.row("SHA-256", digest) }
    // A bridge gets no numbers.
    guard let items, let apps, let devices, let devicesMax, let found, let reports, let events,
      let connections,
      let connectionsMax, let watchers
    else { return rows.text }
    rows.line("")
    rows.row("manifest", "\(Self.counted(items, "item")) of \(Self.counted(apps, "app")); \(reloadText)")
    if let digest { rows.row("SHA-256", digest) }
    rows.row("devices", "\(devices) of \(devicesMax) places taken, \(found) found")
    let isFiltered = radio.filter.map { !$0.hasPrefix("none") } ?? false
    let heard = Self.counted(reports, "report") + (isFiltered ? " that the filter passed" : "")
    rows.row("heard", "\(heard), \(Self.counted(events, "event")) sent")
    rows.row("clients", "\(connections) of \(connectionsMax) connections, \(watchers) watching")
    if let accessoriesConnected, accessoriesConnected > 0 {
      let noun = accessoriesConnected == 1 ? "accessory" : "accessories"
      rows.row("connected", "\(accessoriesConnected) \(noun) to apps; accessoryctl list shows which")
    }
    return rows.text
  }

  private func describeRequests(in rows: inout TextRows) {
    for request in openRequests {
      let age = Seconds(microseconds: time.microseconds - request.since.microseconds).roughText
      rows.row(
        "request", "\(Self.shown(String(request.request.prefix(8)))): \(Self.shown(request.sentence))")
      let candidates = request.candidates == 1 ? "1 candidate" : "\(request.candidates) candidates"
      rows.row("", "open for \(age)" + (request.kind == .setup ? ", \(candidates)" : ""))
    }
    guard let requests, requests > 0 else { return }
    let others = requests - openRequests.count
    let more = others > 0 ? "\(others) more wait; " : ""
    rows.row("", "\(more)accessoryctl pick shows and answers requests")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private var digest: String? { manifestDigest.map(Self.shown) }

  private var reloadText: String {
    let taken = "reloaded \(Self.times(reloads ?? 0))"
    return reloadsRefused ?? 0 == 0 ? taken : "\(taken), refused \(Self.times(reloadsRefused ?? 0))"
  }

  static func times(_ count: Int) -> String {
    switch count {
    case 0: "never"
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
  }

  /// A word or sentence from the agent; it may quote text from unknown devices.
  static func shown(_ text: String) -> String { AirText(Array(text.utf8)).sentence(columnsMax: 1000) }
}

extension RadioLine {
  fileprivate func describe(in rows: inout TextRows, _ style: TextStyle) {
    let word =
      switch state {
      case .on: style.good("on")
      case .off: "off"
      case .recovering: style.bad("recovering")
      case .absent: style.bad("absent")
      }
    // The word may be in colour, which takes no columns: the row is laid out without it.
    var row = TextRows(indent: 0, labelColumnCount: 10, style)
    row.row("radio", "\(state.rawValue): \(StatusLine.shown(detail))")
    let plain = "radio     \(state.rawValue):"
    rows.line("radio     \(word):\(row.text.dropFirst(plain.count).dropLast())")
    rows.row("", "from \(StatusLine.shown(source))\(controllerText)")
    let failed = failures == 0 ? "" : ", \(failures) failed"
    if initializations > 0 || failures > 0 {
      rows.row("", "brought up \(StatusLine.times(initializations))\(failed)")
    }
    let lost = dropped == 0 ? "nothing" : "\(dropped) packet\(dropped == 1 ? "" : "s")"
    if dropped > 0 || queueing != nil { rows.row("", "\(lost) lost\(queueingText)") }
  }

  private var queueingText: String {
    guard let queueing, let queueingMax else { return "" }
    return "; read after \(queueing.millisecondText) on average, \(queueingMax.millisecondText) at most"
  }

  private var controllerText: String {
    var parts: [String] = []
    if let address { parts.append(StatusLine.shown(address)) }
    if hasExtendedAdvertising == true { parts.append("extended advertising") }
    if hasCodedPHY == true { parts.append("coded PHY") }
    return parts.map { ", " + $0 }.joined()
  }
}

extension ListeningLine {
  fileprivate func describe(in rows: inout TextRows) {
    rows.row("listens", percent == 100 ? "all the time" : "\(percent) % of the time, \(requestText)")
    let name = StatusLine.shown(board)
    let reason = replacedBoard.map {
      ", because the adapter is on USB; the manifest names \(StatusLine.shown($0))"
    }
    rows.row("", "by the profile \(name)\(reason ?? "")")
    guard !missing.isEmpty else { return }
    let items = missing.map { StatusLine.shown($0) }.joined(separator: ", ")
    rows.row("", "it misses some of what these send, only on an event: \(items)")
  }

  private var requestText: String {
    requestPercent == 100
      ? "all the time while a request is open" : "\(requestPercent) % while a request is open"
  }
}

extension WirelessLine {
  fileprivate func describe(in rows: inout TextRows, _ style: TextStyle) {
    let text =
      switch state {
      case .on: "networks are read"
      case .scanning: "a scan is under way"
      case .off: "nothing needs networks"
      case .failed: "networks cannot be read"
      }
    rows.row("wifi", "\(state.rawValue): \(text)")
    rows.row("", "from \(StatusLine.shown(interface))\(source.map { ", by \($0.text)" } ?? "")")
    let noun = networks == 1 ? "network" : "networks"
    let last = sinceLastScan.map { "; the last scan has completed \($0.roughText) ago" } ?? ""
    if source != nil { rows.row("", "\(networks) \(noun)\(last)") }
  }
}

extension NetworkSource {
  fileprivate var text: String {
    switch self {
    case .extensions: "wireless extensions"
    case .nl80211: "nl80211"
    }
  }
}

extension Seconds {
  /// `0.2 ms`, `18.0 ms`.
  fileprivate var millisecondText: String {
    "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  /// `47 s`, `3 min`, `5 h 12 min`, `12 d 3 h`.
  public var roughText: String {
    let seconds = max(0, microseconds / 1_000_000)
    let (minutes, hours) = (seconds / 60, seconds / 3600)
    if seconds < 60 { return "\(seconds) s" }
    if minutes < 60 { return "\(minutes) min" }
    return hours < 24 ? "\(hours) h \(minutes % 60) min" : "\(hours / 24) d \(hours % 24) h"
  }
}

extension RegistryLine {
  /// The text for operators.
  public func text(_ style: TextStyle = .plain) -> String {
    var rows = TextRows(indent: 0, labelColumnCount: 10, style)
    if let state {
      let word = state == .degraded ? style.bad(state.rawValue) : style.good(state.rawValue)
      // The number of accessories in a file that was never read is unknown.
      let count = accessories.flatMap { state != .degraded || $0 > 0 ? $0 : nil }
      rows.line(
        "registry  \(word)" + (count.map { ", \($0) \($0 == 1 ? "accessory" : "accessories")" } ?? ""))
    }
    if let sentence { rows.row("", StatusLine.shown(sentence)) }
    if let removed {
      let owner = AirText(Array("\(removed.app)/\(removed.item)".utf8)).escaped()
      rows.row("removed", [AirText(Array(removed.device.utf8)).escaped(), "from \(owner)"])
    }
    if let former {
      let owner = AirText(Array(former.app.utf8)).escaped()
      let identifier = AirText(Array(former.bluetoothIdentifier.utf8)).escaped()
      rows.row("former", [AirText(Array(former.device.utf8)).escaped(), "was \(identifier) for \(owner)"])
    }
    if let unpairing {
      rows.row("unpairing", [AirText(Array(unpairing.device.utf8)).escaped(), "waits for bluetoothd"])
    }
    return rows.text
  }
}
