// SPDX-License-Identifier: Apache-2.0

public import JSON

/// How the agent is: the line of `status --json` (`Config/schema/status.schema.json`), and a reply of
/// `io.accessoryd.Gateway`.
public struct StatusLine: Equatable, Line {
  /// A problem that an operator should know about.
  public struct Problem: Equatable, ReadableLine {
    /// A word that stays the same.
    public let kind: String
    public let sentence: String

    public init(kind: String, sentence: String) {
      self.kind = kind
      self.sentence = sentence
    }

    public func writeMembers(to json: inout JSONWriter) {
      json.member("kind", kind)
      json.member("sentence", sentence)
    }

    public init(reading line: JSONObjectReader) throws(JSONMemberError) {
      self.init(kind: try line.string("kind"), sentence: try line.string("sentence"))
    }
  }

  /// What is counted, in the order of the line.
  public enum Count: String, CaseIterable, Sendable {
    case apps, items, devices, devicesMax, found, reports, events, connections, connectionsMax, watchers
    case accessoriesConnected, reloads, reloadsRefused
  }

  public let version: String
  public let epoch: String
  public let time: Seconds
  public let radio: RadioLine
  /// How networks are looked for; nil when the manifest names no interface for them.
  public let wifi: WirelessLine?
  public let problems: [Problem]
  /// What the manifest asks for and does not get; it is no problem of the running agent.
  public let warnings: [Problem]
  public let counts: [Count: Int64]

  /// Whether the agent has no problem to report.
  public var isWell: Bool { problems.isEmpty }

  public init(
    version: String, epoch: String, time: Seconds, radio: RadioLine, problems: [Problem],
    wifi: WirelessLine? = nil, warnings: [Problem] = [], counts: [Count: Int64]
  ) {
    self.version = version
    self.epoch = epoch
    self.time = time
    self.radio = radio
    self.wifi = wifi
    self.problems = problems
    self.warnings = warnings
    self.counts = counts
  }

  public func writeMembers(to json: inout JSONWriter) { writeMembers(to: &json, includingNull: true) }

  /// The reply of `Status`: it leaves out what the line of the tool gives as null.
  public func writeReply(to json: inout JSONWriter) { writeMembers(to: &json, includingNull: false) }

  private func writeMembers(to json: inout JSONWriter, includingNull: Bool) {
    json.member("version", version)
    json.member("epoch", epoch)
    json.member("time", time)
    json.object("radio") { radio.writeMembers(to: &$0, includingNull: includingNull) }
    if let wifi {
      json.object("wifi") { wifi.writeMembers(to: &$0, includingNull: includingNull) }
    } else if includingNull {
      json.member("wifi", String?.none)
    }
    json.objects("problems", problems)
    json.objects("warnings", warnings)
    for count in Count.allCases { json.member(count.rawValue, counts[count] ?? 0) }
  }
}

extension StatusLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    var counts: [Count: Int64] = [:]
    for count in Count.allCases { counts[count] = try line.integer(count.rawValue) }
    self.init(
      version: try line.string("version"), epoch: try line.string("epoch"), time: try line.seconds("time"),
      radio: try line.line("radio"), problems: try line.lines("problems"),
      wifi: try line.lineIfPresent("wifi"),
      warnings: try line.lines("warnings"), counts: counts)
  }
}

/// The version of the agent, its tool and the package, which take it from here. The library for apps is a part of the same
/// Swift package, and a test compares what its guide asks for.
public enum ProjectVersion {
  /// Three numbers with dots between them, and no leading zeros.
  public static let text = "0.1.0"
}
