// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Agent
import Interfaces
import JSON
import Setup
import Testing

@Suite("Errors for apps")
struct SetupErrorTests {
  @Test(
    "Each code is an error of the interface, with or without a field",
    arguments: SetupErrorCode.allCases.filter { $0 != .success })
  func codes(code: SetupErrorCode) throws {
    for field in [nil, "settings.options"] {
      let message = SetupError(code, field: field, "this is wrong", cure: "do that").message
      #expect(try Described.mismatch(ofError: message, in: SessionInterface.self) == nil)
      let reply = try Described.reply(message)
      #expect(reply.integer("code") == Int64(code.rawValue))
      #expect(reply.text("field") == field)
    }
  }

  @Test("The message has the members of the interface")
  func text() {
    #expect(
      String(decoding: Sample.failure.message.dropLast(), as: UTF8.self) == """
        {"parameters":{"code":450,"field":"items[0].name","reason":"it has 0 bytes",\
        "cure":"use 1 to 248 bytes"},"error":"io.accessoryd.Session.InvalidRequest"}
        """)
  }

  @Test("Texts are truncated, so that no error is longer than a reply may be")
  func long() throws {
    let long = String(repeating: "\u{E0001}", count: 20_000)
    let message = SetupError(.unknown, field: long, long, cure: long).message
    #expect(message.count < 16 << 10)
    #expect(try Described.mismatch(ofError: message, in: SessionInterface.self) == nil)
  }
}
