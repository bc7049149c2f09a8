// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// The accessories that await authorization, each with the session of this process that asked for it: until the app has
/// finished or failed the authorization, the agent lets only that session use the accessory.
package enum AwaitedAccessories {
  private struct WeakSession {
    weak var session: ASAccessorySession?
  }

  private struct Table {
    var sessions: [String: WeakSession] = [:]
    /// Accessories that one session of this process knows to be authorized; another may learn it later.
    var authorized: Set<String> = []
    var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }

  private static let table = Locked(Table())

  /// The session that asked for an accessory which awaits authorization; nil for every other accessory.
  package static func session(of accessory: ASAccessory) -> ASAccessorySession? {
    table.withLock { $0.sessions[accessory.line.identifier]?.session }
  }

  /// Whether any session of this process may use an accessory, although the one that the accessory is from may not know
  /// that yet.
  package static func mayUse(_ accessory: ASAccessory) -> Bool {
    let identifier = accessory.line.identifier
    return table.withLock { $0.sessions[identifier]?.session != nil || $0.authorized.contains(identifier) }
  }

  /// Calls `body` after each change, on any thread, until ``forget(_:)``.
  package static func observe(by observer: AnyObject, _ body: @escaping @Sendable () -> Void) {
    table.withLock { $0.observers[ObjectIdentifier(observer)] = body }
  }

  package static func forget(_ observer: AnyObject) {
    table.withLock { $0.observers[ObjectIdentifier(observer)] = nil }
  }

  /// Records that an accessory awaits authorization.
  static func noteAwaited(_ identifier: String, askedForBy session: ASAccessorySession?) {
    change { $0.sessions[identifier] = session.map { WeakSession(session: $0) } }
  }

  /// Records that an accessory, which may have awaited it, is authorized or gone.
  static func noteDecided(_ identifier: String, isAuthorized: Bool) {
    change { table in
      let hasAwaited = table.sessions.removeValue(forKey: identifier) != nil
      if !isAuthorized {
        table.authorized.remove(identifier)
      } else if hasAwaited {
        table.authorized.insert(identifier)
      }
    }
  }

  /// Forgets the accessories of a session that is over, and of those that are gone.
  static func forget(session over: ASAccessorySession?) {
    change { table in
      table.sessions = table.sessions.filter { $0.value.session != nil && $0.value.session !== over }
    }
  }

  private static func change(_ body: (inout Table) -> Void) {
    let observers = table.withLock { table -> [@Sendable () -> Void] in
      let before = Set(table.sessions.keys)
      body(&table)
      return before == Set(table.sessions.keys) ? [] : Array(table.observers.values)
    }
    for observer in observers { observer() }
  }
}
