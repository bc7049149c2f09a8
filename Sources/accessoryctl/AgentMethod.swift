// SPDX-License-Identifier: GPL-3.0-or-later

/// A method of one of the agent's interfaces.
protocol AgentMethod {
  /// With its interface's name before it.
  var wholeName: String { get }
  /// Whether it answers more than once.
  var isStream: Bool { get }
}

/// The methods of `io.accessoryd.Gateway` (`Config/io.accessoryd.Gateway.varlink`).
enum GatewayMethod: String, AgentMethod {
  case status = "Status"
  case metrics = "Metrics"
  case sightings = "Sightings"
  case watch = "Watch"
  case explain = "Explain"
  case `try` = "Try"
  case suggest = "Suggest"
  case capture = "Capture"
  case reload = "Reload"

  var wholeName: String { "io.accessoryd.Gateway.\(rawValue)" }

  var isStream: Bool {
    switch self {
    case .status, .metrics, .reload: false
    case .sightings, .watch, .explain, .try, .suggest, .capture: true
    }
  }
}

/// The methods of `io.accessoryd.Picker` (`Config/io.accessoryd.Picker.varlink`).
enum PickerMethod: String, AgentMethod {
  case watch = "Watch"
  case choose = "Choose"
  case deny = "Deny"
  case cancel = "Cancel"
  case name = "Name"
  case agree = "Agree"
  case open = "Open"
  case list = "List"
  case rename = "Rename"
  case remove = "Remove"
  case allow = "Allow"
  case authorize = "Authorize"
  case registry = "Registry"
  case export = "Export"
  case `import` = "Import"
  case reset = "Reset"

  var wholeName: String { "io.accessoryd.Picker.\(rawValue)" }

  var isStream: Bool {
    switch self {
    case .watch, .open, .list, .registry, .export: true
    case .choose, .deny, .cancel, .name, .agree, .rename, .remove, .allow, .authorize, .import, .reset: false
    }
  }

  /// How long its answer may take: what its file says, and a moment for the way.
  var patienceSeconds: Int {
    switch self {
    case .watch, .deny, .cancel, .open, .list, .registry, .export: GatewayConnection.patienceSeconds
    case .name, .agree, .rename, .remove, .allow, .authorize, .import, .reset: 32
    case .choose: 92
    }
  }
}
