// SPDX-License-Identifier: GPL-3.0-or-later

import InterfaceDefinition
import VarlinkClient
@testable import Agent
import Interfaces
import JSON
import Registry
import Setup
import Testing
import Varlink

@Suite("Errors for operators")
struct OperatorErrorTests {
  /// Characters that take the most bytes when they are escaped.
  private static let long = String(repeating: "\u{E0001}", count: 20_000)

  private static let errors: [OperatorError] =
    [
      .requestClosed("00000000000000000000000000000001"), .invalid(field: "ssid", reason: "it has 33 bytes"),
      .setupFailed(Sample.failure), .registry("the disk is full"), .busy(RandomIdentifier(high: 1, low: 2)),
      .requestClosed(long), .invalid(field: long, reason: long), .registry(long),
      .notFound(.item, name: long, candidates: Array(repeating: long, count: 60)),
      .setupFailed(SetupError(.unknown, field: long, long, cure: long)),
    ] + OperatorError.Kind.allCases.map { .notFound($0, name: "x", candidates: ["a", "b"]) }
    + [
      .notDisconnected(RandomIdentifier(high: 1, low: 2), .notConnected),
      .notDisconnected(RandomIdentifier(high: 1, low: 2), .refused),
    ]

  @Test("Each is an error of the interface", arguments: errors.indices)
  func fits(index: Int) throws {
    let message = Self.errors[index].message
    #expect(try Described.mismatch(ofError: message, in: OperatorInterface.self) == nil)
    #expect(message.count <= ConnectionLimits().replyBytesMax)
  }

  @Test("Every error of the interface occurs")
  func complete() throws {
    let description = OperatorInterface.description()
    let described = description.members.keys.filter { description.error($0) != nil }
    let written = try Self.errors.map { try Described.reply($0.message).error }
    #expect(Set(written) == Set(described.map { "\(OperatorInterface.name).\($0)" }))
  }

  @Test("Long texts and lists are truncated")
  func truncation() throws {
    let reply = try Described.reply(Self.errors[8].message)
    #expect(reply.text("name")?.unicodeScalars.count == 400)
    guard case .array(let candidates)? = reply["candidates"] else {
      Issue.record("there are candidates")
      return
    }
    #expect(candidates.count == 32)
  }

  @Test("A failed setup reports the error's name, reason and cure")
  func setupFailed() throws {
    let reply = try Described.reply(OperatorError.setupFailed(Sample.failure).message)
    #expect(reply.parameters.members.map(\.name) == ["failure", "reason", "cure"])
    #expect(reply.text("failure") == "invalidRequest")
  }
}
