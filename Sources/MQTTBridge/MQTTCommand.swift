// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// A command of a client of the broker: JSON in a message of a topic.
struct MQTTCommand: Equatable, Sendable {
  enum Name: String, CaseIterable, Sendable {
    case pick, choose, cancel, rename, remove

    /// What a command has beside its id.
    fileprivate var members: [String] {
      switch self {
      case .pick: ["app", "item", "timeout", "count"]
      case .choose: ["request", "candidate", "name"]
      case .cancel: []
      case .rename: ["accessory", "name"]
      case .remove: ["accessory"]
      }
    }
  }

  enum Action: Equatable, Sendable {
    case pick(app: String, item: String?, seconds: Int, count: Int)
    case choose(request: String, candidate: UInt32, name: String?)
    case cancel
    case rename(accessory: String, name: String)
    case remove(accessory: String)
  }

  /// Longer messages are refused.
  static let byteCountMax = 4096

  /// The caller's word for the command, which its results have.
  let id: JSONValue
  let action: Action

  /// Throws why the message is no command, with the id if it has one.
  init(_ name: String, _ payload: [UInt8]) throws(CommandError) {
    guard payload.count <= Self.byteCountMax, case .object(let object)? = try? JSONReader.read(payload.span)
    else {
      throw CommandError(
        id: .null, sentence: "a command is a JSON object of at most \(Self.byteCountMax) bytes")
    }
    let id = object["id"] ?? .null
    switch id {
    case .string, .integer: break
    case .null, .bool, .double, .array, .object:
      throw CommandError(id: .null, sentence: "a command has an id, which is a string or an integer")
    }
    self.id = id
    guard let name = Name(rawValue: name) else {
      let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandError(id: id, sentence: "there is no such command; there are \(names)")
    }
    if let member = JSONObjectReader(object).names.first(where: { $0 != "id" && !name.members.contains($0) })
    {
      let members = (["id"] + name.members).joined(separator: ", ")
      throw CommandError(id: id, sentence: "\(name) has no member \(member); it has \(members)")
    }
    do throws(JSONMemberError) {
      action = try Self.action(name, JSONObjectReader(object))
    } catch {
      throw CommandError(id: id, sentence: Self.sentence(error))
    }
  }

  private static func action(_ name: Name, _ line: JSONObjectReader) throws(JSONMemberError) -> Action {
    switch name {
    case .pick:
      let seconds: Int = try line.integerIfPresent("timeout") ?? 60
      let count: Int = try line.integerIfPresent("count") ?? 1
      guard (10...3600).contains(seconds) else { throw line.error("timeout", .unknownValue) }
      guard (1...256).contains(count) else { throw line.error("count", .unknownValue) }
      return .pick(
        app: try line.string("app"), item: try line.stringIfPresent("item"), seconds: seconds, count: count)
    case .choose:
      return .choose(
        request: try line.string("request"), candidate: try line.integer("candidate"),
        name: try line.stringIfPresent("name"))
    case .cancel: return .cancel
    case .rename: return .rename(accessory: try line.string("accessory"), name: try line.string("name"))
    case .remove: return .remove(accessory: try line.string("accessory"))
    }
  }

  private static func sentence(_ error: JSONMemberError) -> String {
    switch error.path {
    case "timeout": "timeout is a number of seconds from 10 to 3600"
    case "count": "count is a number from 1 to 256"
    case "candidate": "candidate is the number of a candidate"
    default: "\(error.path) is missing, or is no string"
    }
  }
}

/// Why a command is not carried out.
struct CommandError: Error {
  let id: JSONValue
  let sentence: String
}
