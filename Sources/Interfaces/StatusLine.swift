// SPDX-License-Identifier: Apache-2.0

public import JSON

/// How the agent is: the line of `status --json` (`Config/schema/status.schema.json`), and a reply of
/// `io.accessoryd.Gateway`.
public struct StatusLine: Equatable, Line {
  /// A thing that a person should know or do.
  public struct Problem: Equatable, Sendable {
    /// A word that stays the same.
    public let kind: String
    public let sentence: String
  }

  /// What is counted, in the order of the line.
  public enum Count: String, CaseIterable, Sendable {
    case apps, items, devices, devicesMax, found, reports, events, connections, connectionsMax, watchers
    case reloads, reloadsRefused
  }

  public let version: String
  public let epoch: String
  public let time: Seconds
  public let radio: RadioLine
  public let problems: [Problem]
  public let counts: [Count: Int64]

  /// Whether there is nothing that a person should know or do.
  public var isWell: Bool { problems.isEmpty }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("version", version)
    json.member("epoch", epoch)
    json.member("time", time)
    json.object("radio") { radio.writeMembers(to: &$0) }
    json.objects("problems", problems) { json, problem in
      json.member("kind", problem.kind)
      json.member("sentence", problem.sentence)
    }
    for count in Count.allCases { json.member(count.rawValue, counts[count] ?? 0) }
  }
}

extension StatusLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    var problems: [Problem] = []
    for problem in try line.objects("problems") {
      problems.append(Problem(kind: try problem.string("kind"), sentence: try problem.string("sentence")))
    }
    var counts: [Count: Int64] = [:]
    for count in Count.allCases { counts[count] = try line.integer(count.rawValue) }
    self.init(
      version: try line.string("version"), epoch: try line.string("epoch"), time: try line.seconds("time"),
      radio: try RadioLine(reading: try line.object("radio")), problems: problems, counts: counts)
  }
}
