// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import Registry
import RegistryFormat
import Setup
import Varlink

/// A call of Export: the registry as it was then, a line a reply.
struct ExportList: Sendable {
  private var lines: RegistryExport

  init(_ registry: AccessoryRegistry) { lines = RegistryExport(registry) }

  mutating func next() -> AgentCore.Step {
    guard let line = lines.next() else { return .end(Message.reply()) }
    return .say(Message.reply(continues: true) { $0.member("line", line) })
  }
}

/// An import that a client has begun.
///
/// Capacity: one at a time, of as many lines as a registry has rows, and ``byteCountMax`` octets. One that has not gone on
/// for ``idleMilliseconds`` gives way to the next.
struct RegistryImporting: Sendable {
  static let byteCountMax = 16 << 20
  static let idleMilliseconds: Int64 = 30_000
  static let lineCountMax = 1 + 3 * RegistryLimits.accessoriesMax + RegistryLimits.tombstonesMax

  let client: ClientID
  private(set) var lines: [String] = []
  private var byteCount = 0
  private var heard: Instant

  init(_ client: ClientID, at now: Instant) { (self.client, heard) = (client, now) }

  func isIdle(at now: Instant) -> Bool { now.milliseconds(since: heard) >= Self.idleMilliseconds }

  mutating func append(_ more: [String], at now: Instant) throws(OperatorError) {
    heard = now
    byteCount += more.reduce(0) { $0 + $1.utf8.count }
    guard lines.count + more.count <= Self.lineCountMax, byteCount <= Self.byteCountMax else {
      throw .invalid(field: "lines", reason: "there are more than a registry holds")
    }
    lines += more
  }
}

extension AgentCore {
  func export() throws(OperatorError) -> ExportList {
    try setupCore.requireReadableRegistry()
    return ExportList(setupCore.registry)
  }

  /// Takes some lines, and with `commit` puts them all in the place of what is there.
  func importLines(_ parameters: Parameters, _ place: Int) throws(OperatorError) {
    guard let client = clients.places[place]?.id else { return }
    let isBegun = (try? parameters.truth("begin")) ?? false
    let isDone = (try? parameters.truth("commit")) ?? false
    try setupCore.requireRegistryForOperators()
    if isBegun {
      if let importing, importing.client != client, !importing.isIdle(at: now) {
        throw .invalid(field: "begin", reason: "another import is going on")
      }
      importing = RegistryImporting(client, at: now)
    }
    guard importing?.client == client else {
      throw .invalid(field: "begin", reason: "no import was begun on this connection")
    }
    do throws(OperatorError) {
      try importing?.append((try? parameters.texts("lines")) ?? [], at: now)
      guard isDone else { return finish(place, Message.reply()) }
      let registry = try Self.registry(importing?.lines ?? [])
      importing = nil
      try wait(place, AwaitedAnswer.diskMilliseconds) { (core, call) throws(OperatorError) in
        try core.replaceRegistry(registry, call)
      }
    } catch {
      importing = nil
      throw error
    }
  }

  private static func registry(_ lines: [String]) throws(OperatorError) -> AccessoryRegistry {
    do throws(RegistryImportError) {
      return try RegistryImport.read(lines)
    } catch {
      throw .invalid(field: "lines", reason: error.reason)
    }
  }
}
