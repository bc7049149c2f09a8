// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces
public import JSON

/// What a reload changed, or why it changed nothing: the line of `reload --json`
/// (`Config/schema/reload.schema.json`).
public enum ReloadLine: Equatable, Line {
  case taken(ReloadReply)
  case refused(ManifestRefusedLine)

  public func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .taken(let reply):
      json.member("reloaded", true)
      reply.writeMembers(to: &json)
    case .refused(let refusal):
      json.member("reloaded", false)
      refusal.writeMembers(to: &json)
    }
  }

  /// Findings as `check` prints them, then the result.
  public func text(_ style: TextStyle = .plain) -> String {
    switch self {
    case .taken(let reply):
      let radio = reply.hasRestartedRadio ? "; the radio was started again" : ""
      let kept = "\(reply.itemsKept) \(reply.itemsKept == 1 ? "item" : "items") kept"
      return Self.lines(reply.warnings) + "\(style.good("reloaded")): \(kept), \(reply.itemsAdded) added, "
        + "\(reply.itemsRemoved) removed\(radio)\n"
        + (reply.manifestDigest.map { "manifest: SHA-256 \(StatusLine.shown($0))\n" } ?? "")
    case .refused(let refusal):
      let more = refusal.omitted == 0 ? "" : "…and \(refusal.omitted) more\n"
      return Self.lines(refusal.findings) + more + style.bad("refused")
        + ": the previous manifest stays in force\n"
    }
  }

  private static func lines(_ findings: [String]) -> String {
    findings.map { StatusLine.shown($0) + "\n" }.joined()
  }
}
