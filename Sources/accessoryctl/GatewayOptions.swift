// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import DeviceLines
import ArgumentParser
import Explanation
import HCI
import Interfaces
import JSON
import LinuxSystem
import Manifest
import ManifestFormat
import Suggestions
import ToolText
import Varlink

/// The agent to ask.
struct GatewayOptions: ParsableArguments {
  private static let standardPath = "/run/accessoryd/io.accessoryd"

  @Option(
    help: ArgumentHelp(
      "The agent's socket. (default: $ACCESSORYD_SOCKET or the system's)", valueName: "path"),
    completion: .file())
  var socket: String?

  var path: String { Self.path(given: socket) }

  /// The agent's socket, where `--socket` is given or not.
  static func path(given socket: String?) -> String {
    socket ?? Environment.value(of: "ACCESSORYD_SOCKET") ?? standardPath
  }

  /// Connects to the agent for `body`, and turns its errors into sentences.
  func connect<Value>(
    _ body: (inout GatewayConnection) throws(AgentCallError) -> Value
  ) throws(ToolError) -> Value {
    do throws(AgentCallError) {
      var connection = try GatewayConnection(path: path)
      return try body(&connection)
    } catch {
      throw error.toolError(at: path)
    }
  }

  /// Calls a method that has one reply.
  func callOnce<Value>(
    _ method: some ServedMethod, within seconds: Int = GatewayConnection.patienceSeconds,
    _ parameters: (inout JSONWriter) -> Void = { _ in },
    _ value: (JSONObjectReader) throws(JSONMemberError) -> Value
  ) throws(ToolError) -> Value {
    try connect { connection throws(AgentCallError) in
      try connection.startCall(method, parameters)
      return try connection.onlyReply(within: seconds, value)
    }
  }

  /// Calls a method that replies with a list, and returns every element.
  func callForList<Element>(
    _ method: some ServedMethod, within seconds: Int = GatewayConnection.patienceSeconds,
    _ parameters: (inout JSONWriter) -> Void = { _ in },
    update: (MonotonicInstant, MonotonicInstant) -> MonotonicInstant? = { _, _ in nil },
    _ element: (JSONObjectReader) throws(JSONMemberError) -> Element?
  ) throws(ToolError) -> [Element] {
    try connect { connection throws(AgentCallError) in
      try connection.startCall(method, parameters)
      return try connection.allReplies(within: seconds, update: update, element)
    }
  }
}

extension GatewayOptions {
  /// The items in force.
  func items() throws(ToolError) -> [ManifestItem] {
    try callForList(GatewayMethodName.items) { line throws(JSONMemberError) in try ManifestItem(reply: line) }
  }

  /// The devices of an address, or all, and where items have them; or why an item finds nothing.
  func inspect(
    device: DeviceArgument? = nil, item: String? = nil
  ) throws(ToolError) -> Inspection {
    var inspection = Inspection()
    _ = try callForList(GatewayMethodName.inspect, GatewayCall(device: device?.text, item: item).write) {
      line throws(JSONMemberError) -> Never? in
      inspection.add(try InspectReply(reading: line))
      return nil
    }
    return inspection
  }

  /// Throws unless the manifest has the app.
  func requireApp(_ app: String) throws(ToolError) {
    try connect { connection throws(AgentCallError) in
      do throws(AgentCallError) { _ = try connection.accessories(ofApp: app) } catch {
        // Whether the registry can be read is another question.
        guard case .refused(let reply) = error, reply.error != OperatorErrorName.notFound.rawValue else {
          throw error
        }
      }
    }
  }

  /// Every device in the table.
  func devicesInSight() throws(ToolError) -> [DeviceLine] {
    try callForList(GatewayMethodName.sightings, GatewayCall(all: true).write) {
      line throws(JSONMemberError) in
      try line.objectIfPresent("device").map { line throws(JSONMemberError) in try DeviceLine(reading: line) }
    }
  }

  func status() throws(ToolError) -> StatusLine {
    try callOnce(GatewayMethodName.status) { line throws(JSONMemberError) in try StatusLine(reading: line) }
  }

  /// Says what is wrong when networks cannot be read. Returns whether something is.
  @discardableResult
  func sayNetworkProblem() throws(ToolError) -> Bool {
    let status = try status()
    let problem: String? = if let wifi = status.wifi { wifi.problem } else { Gateway.reasonNoNetworkIsRead }
    guard let problem else { return false }
    // It may be the agent's word.
    StandardError.say(AirText(Array(problem.utf8)).sentence(columnsMax: 400))
    return true
  }
}

/// The parameters of a call of `io.accessoryd.Gateway`.
struct GatewayCall {
  var device: String?
  var item: String?
  var all: Bool?
  var seconds: Int?

  func write(to json: inout JSONWriter) {
    if let device { json.member("device", device) }
    if let item { json.member("item", item) }
    if let all { json.member(GatewayInterface.includesAll, all) }
    if let seconds { json.member("seconds", seconds) }
  }
}
