// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import Interfaces
import Manifest

/// A report without anything that names a person, a device or an app.
///
/// Sentences of the agent are left out, because they may quote names; of problems, only their kinds are given.
public struct FieldReport {
  /// What the kernel and the distribution say about the machine and its adapters.
  public struct Machine {
    public var system: String
    public var model: String
    /// For each adapter how the kernel reaches it.
    public var adapters: [String]
    /// The board profiles that the package has. Others have names of the integrator's.
    public var profileNames: Set<String>

    public init(system: String, model: String, adapters: [String], profileNames: Set<String>) {
      self.system = system
      self.model = model
      self.adapters = adapters
      self.profileNames = profileNames
    }
  }

  /// Those that a good soak leaves at 0, which is what it shows.
  private static let soakNames = ["accessoryd_radio_failures_total", "accessoryd_radio_recoveries_total"]
  /// The counters that say how an adapter did over time. Their labels are the agent's own words.
  private static let metricNames = [
    "accessoryd_radio_", "accessoryd_packets_total", "accessoryd_turns_total",
    "accessoryd_longest_turn_seconds", "process_resident_memory_bytes", "process_cpu_seconds_total",
  ]

  public let text: String

  public init(_ status: StatusLine, metrics: String, _ machine: Machine) {
    var rows = TextRows(indent: 0, labelColumnCount: 10, .plain)
    rows.row("tool", ProjectVersion.text)
    rows.row("agent", "\(Self.word(status.version)), running for \(status.time.roughText)")
    rows.row("system", Self.word(machine.system, max: 160))
    rows.row("machine", Self.word(machine.model, max: 80))
    for adapter in machine.adapters { rows.row("adapter", Self.word(adapter, max: 240)) }
    if machine.adapters.isEmpty { rows.row("adapter", "none") }
    let radio = status.radio
    let features = [
      radio.hasExtendedAdvertising == true ? "extended advertising" : nil,
      radio.hasCodedPHY == true ? "coded PHY" : nil, radio.scan.map { "\($0.rawValue) scan" },
    ]
    rows.row("radio", ([radio.state.rawValue] + features.compactMap(\.self)).joined(separator: ", "))
    if let listening = status.listening {
      let profile = machine.profileNames.contains(listening.board) ? listening.board : "of its own"
      rows.row(
        "listens",
        "\(listening.percent) % of the time, \(listening.requestPercent) % with a request, profile \(profile)"
      )
    }
    if let queueing = radio.queueing, let most = radio.queueingMax {
      rows.row("queueing", "\(queueing.microseconds) µs on average, \(most.microseconds) µs at most")
    }
    let kinds = status.problems.map { Self.word($0.kind) }
    rows.row("problems", kinds.isEmpty ? "none" : kinds.joined(separator: ", "))
    for case (let name, let count?) in Self.counts(status) { rows.line("\(name) \(count)") }
    let lines = metrics.split(separator: "\n").filter { line in
      if Self.soakNames.contains(where: line.hasPrefix) { return true }
      return Self.metricNames.contains(where: line.hasPrefix) && !line.hasSuffix(" 0")
        && !line.hasSuffix(" 0.000000")
    }
    for line in lines { rows.line(Self.word(String(line), max: 120)) }
    text = rows.text
  }

  private static func counts(_ status: StatusLine) -> [(String, Int?)] {
    [
      ("apps", status.apps), ("items", status.items), ("devices", status.devices),
      ("devicesMax", status.devicesMax), ("found", status.found), ("reports", status.reports),
      ("events", status.events), ("connections", status.connections),
      ("connectionsMax", status.connectionsMax), ("watchers", status.watchers),
      ("accessoriesConnected", status.accessoriesConnected), ("requests", status.requests),
      ("reloads", status.reloads), ("reloadsRefused", status.reloadsRefused),
    ]
  }

  /// The text without what could be an address.
  private static func word(_ text: String, max: Int = 40) -> String {
    let shown = AirText(Array(text.utf8)).sentence(columnsMax: max)
    var result = ""
    var rest = shown[...]
    while let first = rest.first {
      // What an address can be spelt with.
      let run = rest.prefix { $0.isHexDigit || $0 == ":" || $0 == "-" }
      let part = run.isEmpty ? String(first) : String(run)
      result += AddressText.bitsInAnySpelling(part) == nil ? part : "(address)"
      rest = rest.dropFirst(part.count)
    }
    return result
  }
}
