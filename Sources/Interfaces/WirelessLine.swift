// SPDX-License-Identifier: Apache-2.0

public import JSON

/// How networks are looked for: a part of ``StatusLine``.
public struct WirelessLine: Equatable, Line {
  public enum State: String, CaseIterable, Sendable {
    /// Networks are read.
    case on
    /// A scan is under way, of the agent or of another program.
    case scanning
    /// Nothing needs networks.
    case off
    /// They cannot be read.
    case failed
  }

  public enum Source: String, CaseIterable, Sendable {
    /// Wireless extensions, with libiw.
    case extensions
    case nl80211
  }

  /// The interface that the manifest names.
  public let interface: String
  public let state: State
  /// Where the last list came from; nil before the first one.
  public let source: Source?
  /// Networks in reach whose names are known.
  public let networkCount: Int64
  /// How long ago the last scan has completed; nil before the first one.
  public let sinceLastScan: Seconds?
  /// What is wrong, as a sentence for operators.
  public let problem: String?

  public init(
    interface: String, state: State, source: Source?, networkCount: Int64, sinceLastScan: Seconds?,
    problem: String?
  ) {
    self.interface = interface
    self.state = state
    self.source = source
    self.networkCount = networkCount
    self.sinceLastScan = sinceLastScan
    self.problem = problem
  }

  public func writeMembers(to json: inout JSONWriter) { writeMembers(to: &json, includingNull: true) }

  /// The reply of the agent leaves out what a line of the tool gives as null.
  func writeMembers(to json: inout JSONWriter, includingNull: Bool) {
    json.member("interface", interface)
    json.member("state", state.rawValue)
    if includingNull || source != nil { json.member("source", source?.rawValue) }
    json.member("networks", networkCount)
    if includingNull || sinceLastScan != nil { json.member("sinceLastScan", sinceLastScan) }
    if includingNull || problem != nil { json.member("problem", problem) }
  }
}

extension WirelessLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      interface: try line.string("interface"), state: try line.value("state", of: State.allCases, \.rawValue),
      source: try line.valueIfPresent("source", of: Source.allCases, \.rawValue),
      networkCount: try line.integer("networks"),
      sinceLastScan: try line.secondsIfPresent("sinceLastScan"), problem: try line.stringIfPresent("problem"))
  }
}
