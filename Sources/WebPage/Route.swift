// SPDX-License-Identifier: GPL-3.0-or-later

/// What a browser can ask for: method and path. There is nothing else.
public enum Route: String, CaseIterable, Sendable {
  case page = "GET /"
  case style = "GET /style.css"
  case script = "GET /app.js"
  case screens = "GET /screens.js"
  case login = "POST /login"
  case logout = "POST /logout"
  /// The stream of everything that changes.
  case events = "GET /events"
  /// The same, and the devices in sight.
  case deviceEvents = "GET /events/devices"
  case manifest = "GET /manifest"
  case registry = "GET /registry"
  case items = "GET /items"
  case explain = "POST /explain"
  /// How a device was heard in the last ten minutes.
  case history = "POST /history"
  case suggest = "POST /suggest"
  case choose = "POST /choose"
  case answer = "POST /answer"
  case name = "POST /name"
  case agree = "POST /agree"
  case deny = "POST /deny"
  case cancel = "POST /cancel"
  case open = "POST /open"
  case rename = "POST /rename"
  case remove = "POST /remove"
  case replace = "POST /replace"
  case disconnect = "POST /disconnect"
  case pair = "POST /pair"
  case allow = "POST /allow"
  case authorize = "POST /authorize"
  case record = "POST /record"
  case check = "POST /check"
  case draft = "POST /draft"
  case metrics = "GET /metrics"

  /// What a request needs to be served.
  public enum Need: Equatable, Sendable {
    case nothing
    case role(Role)
    /// The token of the metrics, or the UNIX socket.
    case metricsToken
  }

  public var need: Need {
    switch self {
    case .page, .style, .script, .screens, .login: .nothing
    case .logout, .events, .deviceEvents, .manifest, .registry, .items, .explain, .history, .suggest:
      .role(.viewer)
    case .choose, .answer, .name, .agree, .deny, .cancel, .open, .rename, .remove, .replace, .disconnect,
      .pair,
      .allow, .authorize, .record, .check, .draft:
      .role(.operator)
    case .metrics: .metricsToken
    }
  }

  init?(_ method: String, _ path: String) {
    guard let route = Self.allCases.first(where: { $0.path == path && $0.methods.contains(method[...]) })
    else {
      return nil
    }
    self = route
  }

  public var method: Substring { rawValue.prefix { $0 != " " } }
  public var path: Substring { rawValue.drop { $0 != " " }.dropFirst() }

  /// A file has a head, too: the server leaves its body out.
  private var methods: [Substring] { need == .nothing && method == "GET" ? ["GET", "HEAD"] : [method] }

  /// The methods of a path; none when there is no such path.
  static func methods(of path: String) -> [Substring] {
    allCases.filter { $0.path == path }.flatMap(\.methods)
  }
}

/// What a browser may do.
public enum Role: String, CaseIterable, Sendable {
  /// Look.
  case viewer
  /// Look, and change.
  case `operator`

  func includes(_ other: Role) -> Bool { self == .operator || other == .viewer }
}
