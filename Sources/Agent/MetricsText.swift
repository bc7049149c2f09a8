// SPDX-License-Identifier: GPL-3.0-or-later

/// Writes the Prometheus text format (prometheus.io, "Exposition formats", 0.0.4): families one by one, each with what
/// it means, its type and its samples. Labels come from the manifest or from our own words only.
struct MetricsText {
  enum Kind: String {
    case counter, gauge
  }

  private(set) var text = ""

  /// A family with one sample.
  mutating func sample(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
    family(name, kind, help)
    text += "accessoryd_\(name) \(value)\n"
  }

  /// A family with a sample for each label value.
  mutating func samples(
    _ name: String, _ kind: Kind, _ help: String, _ label: String, _ values: [(String, UInt64)]
  ) {
    family(name, kind, help)
    for (labelValue, value) in values {
      text += "accessoryd_\(name){\(label)=\"\(Self.escaped(labelValue))\"} \(value)\n"
    }
  }

  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP accessoryd_\(name) \(help)\n# TYPE accessoryd_\(name) \(kind.rawValue)\n"
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
