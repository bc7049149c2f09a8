// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

/// What a program of the gateway signals.
public enum GatewaySignal: Equatable, Sendable {
  case touch(TouchSignal)
  case request(RequestSignal)

  public var program: SignalProgramKind {
    switch self {
    case .touch: .touch
    case .request: .request
    }
  }

  public var app: String {
    switch self {
    case .touch(let signal): signal.app
    case .request(let signal): signal.app
    }
  }

  /// The program's arguments, without its path.
  public var arguments: [String] {
    switch self {
    case .touch(let signal): [signal.outcome.rawValue, signal.item, signal.app]
    case .request(let signal): [signal.kind.rawValue, signal.request.text, signal.app]
    }
  }
}

/// How a touch ended, and for which item.
public struct TouchSignal: Equatable, Sendable {
  public enum Outcome: String, CaseIterable, Sendable {
    case success, failure
  }

  public var outcome: Outcome
  public var app: String
  /// The item's id in the manifest.
  public var item: String
}

/// What operators are asked, and by which app.
public struct RequestSignal: Equatable, Sendable {
  public var kind: RequestKind
  public var request: RandomIdentifier
  public var app: String
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
    add(.signal(.request(RequestSignal(kind: flow.kind, request: flow.id, app: flow.app))))
  }
}
