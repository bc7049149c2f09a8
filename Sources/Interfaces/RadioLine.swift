// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Where advertising reports come from, and how that is going: a part of ``StatusLine``.
public struct RadioLine: Equatable, Line {
  public enum State: String, CaseIterable, Sendable {
    /// It scans.
    case on
    /// It does not scan, and should not.
    case off
    /// It should scan, and is being initialised or waited for.
    case recovering
    /// There is none.
    case absent
  }

  public enum Scan: String, CaseIterable, Sendable {
    case passive, active
  }

  public let source: String
  public let state: State
  /// What the radio is doing, as a sentence for operators.
  public let detail: String
  /// Nil while it does not scan.
  public let scan: Scan?
  /// What the controller said about itself; nil before it is up.
  public let address: String?
  public let extendedAdvertising: Bool?
  public let codedPHY: Bool?
  public let initializationCount: Int64
  public let failureCount: Int64
  /// Packets that the kernel dropped.
  public let droppedCount: Int64
  /// How long packets waited in the kernel on average, and at most; nil where it is not measured.
  public let queueing: Seconds?
  public let queueingMax: Seconds?

  public init(
    source: String, state: State, detail: String, scan: Scan?, address: String?, extendedAdvertising: Bool?,
    codedPHY: Bool?, initializationCount: Int64, failureCount: Int64, droppedCount: Int64, queueing: Seconds?,
    queueingMax: Seconds?
  ) {
    self.source = source
    self.state = state
    self.detail = detail
    self.scan = scan
    self.address = address
    self.extendedAdvertising = extendedAdvertising
    self.codedPHY = codedPHY
    self.initializationCount = initializationCount
    self.failureCount = failureCount
    self.droppedCount = droppedCount
    self.queueing = queueing
    self.queueingMax = queueingMax
  }

  public func writeMembers(to json: inout JSONWriter) { writeMembers(to: &json, includingNull: true) }

  /// The reply of the agent leaves out what a line of the tool gives as null.
  func writeMembers(to json: inout JSONWriter, includingNull: Bool) {
    json.member("source", source)
    json.member("state", state.rawValue)
    json.member("detail", detail)
    if includingNull || scan != nil { json.member("scan", scan?.rawValue) }
    if includingNull || address != nil { json.member("address", address) }
    if includingNull || extendedAdvertising != nil {
      json.member("hasExtendedAdvertising", extendedAdvertising)
    }
    if includingNull || codedPHY != nil { json.member("hasCodedPHY", codedPHY) }
    json.member("initializations", initializationCount)
    json.member("failures", failureCount)
    json.member("dropped", droppedCount)
    if includingNull || queueing != nil { json.member("queueing", queueing) }
    if includingNull || queueingMax != nil { json.member("queueingMax", queueingMax) }
  }
}

extension RadioLine: ReadableLine {
  public init(reading radio: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      source: try radio.string("source"), state: try radio.value("state", of: State.allCases, \.rawValue),
      detail: try radio.string("detail"),
      scan: try radio.valueIfPresent("scan", of: Scan.allCases, \.rawValue),
      address: try radio.stringIfPresent("address"),
      extendedAdvertising: try radio.boolIfPresent("hasExtendedAdvertising"),
      codedPHY: try radio.boolIfPresent("hasCodedPHY"),
      initializationCount: try radio.integer("initializations"),
      failureCount: try radio.integer("failures"), droppedCount: try radio.integer("dropped"),
      queueing: try radio.secondsIfPresent("queueing"), queueingMax: try radio.secondsIfPresent("queueingMax")
    )
  }
}
