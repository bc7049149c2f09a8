// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// A family of samples in the Prometheus text format.
struct Metric {
  enum Kind: String {
    case counter, gauge
  }

  enum Value {
    case single(Int64)
    /// A time, in seconds as all times of Prometheus.
    case seconds(microseconds: Int64)
    /// A sample for each value of a label.
    case labelled(String, [(labelValue: String, count: UInt64)])
  }

  /// With the prefix of its program.
  let name: String
  let kind: Kind
  let help: String
  let value: Value
}

extension Metric {
  init(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
    self.init(name: "accessoryd_" + name, kind: kind, help: help, value: .single(Int64(clamping: value)))
  }

  init(_ name: String, _ kind: Kind, _ help: String, seconds microseconds: Int64) {
    self.init(name: "accessoryd_" + name, kind: kind, help: help, value: .seconds(microseconds: microseconds))
  }

  init(_ name: String, _ kind: Kind, _ help: String, _ label: String, _ values: [(String, UInt64)]) {
    self.init(
      name: "accessoryd_" + name, kind: kind, help: help,
      value: .labelled(label, values.map { (labelValue: $0.0, count: $0.1) }))
  }

  /// A family that every program has.
  init(process name: String, _ kind: Kind, _ help: String, _ value: Value) {
    self.init(name: "process_" + name, kind: kind, help: help, value: value)
  }
}

/// Writes the Prometheus text format (prometheus.io, "Exposition formats", 0.0.4): families one by one, each with its
/// help, its type and its samples. Labels come from the manifest or from the agent's own words only.
struct MetricsText {
  private(set) var text = ""

  mutating func write(_ metric: Metric) {
    family(metric.name, metric.kind, metric.help)
    switch metric.value {
    case .single(let value): text += "\(metric.name) \(value)\n"
    case .seconds(let microseconds):
      text += "\(metric.name) \(Seconds(microseconds: microseconds).text(decimals: 6))\n"
    case .labelled(let label, let values):
      for (labelValue, count) in values {
        text += "\(metric.name){\(label)=\"\(Self.escaped(labelValue))\"} \(count)\n"
      }
    }
  }

  mutating func family(_ name: String, _ kind: Metric.Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func line(_ line: String) { text += line }

  /// A label's value: backslash, quote and line feed are escaped.
  static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
