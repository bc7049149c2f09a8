// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// Which agent is asked.
struct GatewayOptions: ParsableArguments {
  private static let standardPath = "/run/accessoryd/io.accessoryd"

  @Option(
    help: ArgumentHelp(
      "The agent's socket. (default: $ACCESSORYD_SOCKET or the system's)", valueName: "path"),
    completion: .file())
  var socket: String?

  var path: String { socket ?? Environment.value(of: "ACCESSORYD_SOCKET") ?? Self.standardPath }

  /// Asks the agent, and turns what goes wrong into sentences.
  func ask<Value>(
    _ body: (inout GatewayConnection) throws(GatewayProblem) -> Value
  ) throws(Failure) -> Value {
    do throws(GatewayProblem) {
      var connection = try GatewayConnection(path: path)
      return try body(&connection)
    } catch {
      throw error.failure(at: path)
    }
  }

  /// The answer of a method that gives one.
  func one<Value>(
    _ method: some ServedMethod, within seconds: Int = GatewayConnection.patienceSeconds,
    _ parameters: (inout JSONWriter) -> Void = { _ in },
    _ value: (JSONObjectReader) throws(JSONMemberError) -> Value
  ) throws(Failure) -> Value {
    try ask { connection throws(GatewayProblem) in
      try connection.begin(method, parameters)
      return try connection.one(within: seconds, value)
    }
  }

  /// Every element of a list that the agent answers with.
  func list<Element>(
    _ method: some ServedMethod, within seconds: Int = GatewayConnection.patienceSeconds,
    _ parameters: (inout JSONWriter) -> Void = { _ in },
    _ element: (JSONObjectReader) throws(JSONMemberError) -> Element?
  ) throws(Failure) -> [Element] {
    try ask { connection throws(GatewayProblem) in
      try connection.begin(method, parameters)
      return try connection.list(within: seconds, element)
    }
  }
}

/// The parameters of a call.
struct GatewayCall {
  var device: String?
  var item: String?
  var all: Bool?
  var seconds: Int?

  func write(to json: inout JSONWriter) {
    if let device { json.member("device", device) }
    if let item { json.member("item", item) }
    if let all { json.member("includesAll", all) }
    if let seconds { json.member("seconds", seconds) }
  }
}
