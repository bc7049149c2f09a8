// SPDX-License-Identifier: Apache-2.0

public import JSON

/// What a reload changed, or why it changed nothing: the line of `reload --json`
/// (`Config/schema/reload.schema.json`).
public enum ReloadLine: Equatable, Line {
  case taken(kept: Int64, added: Int64, removed: Int64, radioRestarted: Bool, warnings: [String])
  /// `omitted` findings had no place in the reply.
  case refused(findings: [String], omitted: Int64)

  public func writeMembers(to json: inout JSONWriter) {
    if case .taken = self { json.member("reloaded", true) } else { json.member("reloaded", false) }
    writeReply(to: &json)
  }

  /// The members of the method's reply, or of its error ManifestRefused.
  public func writeReply(to json: inout JSONWriter) {
    switch self {
    case .taken(let kept, let added, let removed, let radioRestarted, let warnings):
      json.member("itemsKept", kept)
      json.member("itemsAdded", added)
      json.member("itemsRemoved", removed)
      json.member("hasRestartedRadio", radioRestarted)
      json.member("warnings", warnings)
    case .refused(let findings, let omitted):
      json.member("findings", findings)
      json.member("omitted", omitted)
    }
  }
}

extension ReloadLine {
  /// The reply of the method.
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self = .taken(
      kept: try line.integer("itemsKept"), added: try line.integer("itemsAdded"),
      removed: try line.integer("itemsRemoved"), radioRestarted: try line.bool("hasRestartedRadio"),
      warnings: try line.strings("warnings"))
  }

  /// The parameters of its error ManifestRefused.
  public init(readingRefusal line: JSONObjectReader) throws(JSONMemberError) {
    self = .refused(findings: try line.strings("findings"), omitted: try line.integer("omitted"))
  }
}
