// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Registry
import RegistryFormat
import Setup
import Varlink

/// `Import`: takes some lines, and with `commit` replaces the registry by all of them.
enum ImportMethod: OperatorMethod {
  static let name = OperatorMethodName.import

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (client, parameters) = (call.client, call.parameters)
    try call.agent.setupCore.requireRegistryForOperators()
    if (try? parameters.bool("begins")) ?? false { try beginImport(call) }
    guard client.registryImport != nil else {
      throw .invalid(field: "begins", reason: "no import was begun on this connection")
    }
    do throws(OperatorError) {
      try client.registryImport?.append((try? parameters.strings("lines")) ?? [], at: call.agent.now)
      guard (try? parameters.bool("commits")) ?? false else { return .done }
      let registry = try registry(client.registryImport?.lines ?? [])
      client.registryImport = nil
      let mayHandleKeys = client.rights.mayHandleKeys
      guard mayHandleKeys || registry.keyedDeviceCount == 0 else {
        call.agent.counters.clients.permissionsDenied &+= 1
        return .refusal(Message.error(ServiceError.keysDenied(client.peer.uid)))
      }
      return try startPending(call) { (setup, id) throws(OperatorError) in
        try setup.replaceRegistry(registry, takesKeys: mayHandleKeys, for: client.peer.uid, id)
      }
    } catch {
      client.registryImport = nil
      throw error
    }
  }

  private static func beginImport(_ call: MethodCall) throws(OperatorError) {
    for other in call.agent.clients.connected where other !== call.client {
      guard let others = other.registryImport else { continue }
      guard others.isIdle(at: call.agent.now) else {
        throw .invalid(field: "begins", reason: "another import is going on")
      }
      other.registryImport = nil
    }
    call.client.registryImport = RegistryImporting(at: call.agent.now)
  }

  private static func registry(_ lines: [String]) throws(OperatorError) -> AccessoryRegistry {
    do throws(RegistryImportError) {
      return try RegistryImport.read(lines)
    } catch {
      throw .invalid(field: "lines", reason: error.reason)
    }
  }
}

/// The lines of a registry that a client is sending.
///
/// Capacity: one import at a time, of as many lines as a registry has rows and ``byteCountMax`` bytes. One that has not
/// gone on for ``idleMilliseconds`` gives way to the next.
struct RegistryImporting {
  static let byteCountMax = 16 << 20
  static let idleMilliseconds: Int64 = 30_000
  static let lineCountMax =
    1 + RegistryTable.allCases.reduce(0) { $0 + RegistryLimits.rowsMax(of: $1) }

  private(set) var lines: [String] = []
  private var byteCount = 0
  private var lastCall: Instant

  init(at now: Instant) { lastCall = now }

  func isIdle(at now: Instant) -> Bool { now.milliseconds(since: lastCall) >= Self.idleMilliseconds }

  mutating func append(_ more: [String], at now: Instant) throws(OperatorError) {
    lastCall = now
    byteCount += more.reduce(0) { $0 + $1.utf8.count }
    guard lines.count + more.count <= Self.lineCountMax, byteCount <= Self.byteCountMax else {
      throw .invalid(field: "lines", reason: "there are more than a registry holds")
    }
    lines += more
  }
}
