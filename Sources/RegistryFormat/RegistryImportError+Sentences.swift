// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Manifest
import Registry

extension RegistryImportError {
  /// What is wrong and where, without a full stop.
  public var reason: String {
    switch self {
    case .notJSON(let line, let problem): "line \(line) is not JSON from octet \(problem.offset) on"
    case .noHead: "the first line is not that of an exported registry"
    case .version(let version, let known):
      "it was exported by another accessoryd (version \(version); this one reads \(known))"
    case .rowCount(let count, let announced):
      "it has \(count) rows, and its first line announces \(announced): it is cut, or lines were put in"
    case .noRow(let line): "line \(line) is no row of a registry"
    case .badValue(let line, let column): "\(column.quotedForPeople) in line \(line) cannot be"
    case .violation(let violation): "its rows contradict each other: \(violation.reason)"
    }
  }
}
