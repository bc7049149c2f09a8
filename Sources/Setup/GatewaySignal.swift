// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

/// What a program of the gateway signals.
public struct GatewaySignal: Equatable, Sendable {
  /// How a touch ended.
  public enum TouchOutcome: String, Sendable { case success, failure }

  public let program: SignalProgramKind
  public let app: String
  /// The program's arguments, without its path.
  public let arguments: [String]

  /// How a touch ended, and for which item of the manifest.
  public static func touch(_ outcome: TouchOutcome, item: String, app: String) -> Self {
    Self(program: .touch, app: app, arguments: [outcome.rawValue, item, app])
  }

  /// What operators are asked, and by which app.
  public static func request(_ kind: RequestKind, _ request: RandomIdentifier, app: String) -> Self {
    Self(program: .request, app: app, arguments: [kind.rawValue, request.text, app])
  }
}

extension SetupFlow {
  public var kind: RequestKind {
    switch question?.change {
    case nil: asksForMigration ? .migrate : .setup
    case .rename: .rename
    case .pair: .pair
    case .extend: .authorize
    }
  }

  /// What the operators are asked about: the items that are looked for or migrated, by their ids, or by their names where
  /// the app supplied them; or the accessory's name.
  public var subjects: [String] {
    guard let picker, replaced == nil else { return displayName.map { [$0] } ?? [] }
    let items = asksForMigration ? picker.migrations : picker.searches
    return items.map { $0.isAppSupplied ? $0.item.name : $0.item.id }
  }

  /// The request as a sentence for operators.
  public var requestSentence: String {
    let named = subjects.prefix(Self.subjectsNamedMax).map(\.quotedForDisplay).joined(separator: ", ")
    let others = subjects.count - Self.subjectsNamedMax
    let about = others > 0 ? "\(named) and \(others) more" : named
    let wish =
      switch kind {
      case .setup: replaced == nil ? "set up \(about)" : "give \(about) another device"
      case .rename: "rename \(about)"
      case .authorize: "use more of \(about)"
      case .migrate: "have \(about) without a new setup"
      case .pair: "pair \(about) again"
      }
    let sentence = isOnBehalf ? "an operator wants to \(wish) for \(app)" : "\(app) wants to \(wish)"
    switch state {
    case .naming: return sentence + ", and waits for a name"
    case .confirming:
      return sentence + ", and \(isOnBehalf ? "\(app) has" : "has") to finish the authorization"
    default: return sentence
    }
  }

  private static let subjectsNamedMax = 4
}

extension SetupCore {
  /// Logs a request that has been opened, and signals it at the gateway if it is an app's: of an app that opens them one
  /// after the other, both happen once in ten seconds.
  mutating func announce(_ id: RandomIdentifier) {
    guard let flow = request(id), flow.session == nil || paces[flow.app]?.signal(id, at: now) ?? true else {
      return
    }
    signal(flow)
  }

  /// Signals the requests that waited because their app had opened another one just before, and are still open.
  mutating func signalWaiting() {
    for app in paces.keys.sorted() {
      guard let id = paces[app]?.takeWaiting(at: now), let flow = request(id) else { continue }
      signal(flow)
    }
  }

  private mutating func signal(_ flow: SetupFlow) {
    log(.requestOpened(flow.id, sentence: flow.requestSentence))
    guard flow.session != nil else { return }
    add(.signal(.request(flow.kind, flow.id, app: flow.app)))
  }
}
