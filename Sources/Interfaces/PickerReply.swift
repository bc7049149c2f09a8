// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply of `Watch` of `io.accessoryd.Operator`, and a line of `pick --json` (`Config/schema/pick.schema.json`).
public enum PickerReply: Equatable, Line {
  /// There is a request, or it has changed.
  case request(RequestLine)
  /// There is a candidate of the request `of`, or it has changed.
  case candidate(CandidateLine, of: String)
  /// The candidate of that number is gone.
  case gone(UInt32, of: String)
  /// The request is over.
  case closed(String, RequestEnding)
  /// Every request and candidate that existed when the call began has been sent.
  case synced

  public func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .request(let request): json.object("request", request)
    case .candidate(let candidate, let request):
      json.member("of", request)
      json.object("candidate", candidate)
    case .gone(let candidate, let request):
      json.member("of", request)
      json.member("gone", candidate)
    case .closed(let request, let ending):
      json.member("closed", request)
      ending.writeMembers(to: &json)
    case .synced: json.member("isSynced", true)
    }
  }
}

extension PickerReply: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    if let request: RequestLine = try line.lineIfPresent("request") {
      self = .request(request)
    } else if let candidate: CandidateLine = try line.lineIfPresent("candidate") {
      self = .candidate(candidate, of: try line.string("of"))
    } else if let candidate: UInt32 = try line.integerIfPresent("gone") {
      self = .gone(candidate, of: try line.string("of"))
    } else if let request = try line.stringIfPresent("closed") {
      self = .closed(request, try RequestEnding(reading: line))
    } else {
      guard try line.bool("isSynced") else { throw line.error("isSynced", .unknownValue) }
      self = .synced
    }
  }
}
