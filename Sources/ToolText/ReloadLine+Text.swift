// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

extension ReloadLine {
  /// Findings as `check` prints them, then what came of it.
  public func text(_ style: TextStyle = .plain) -> String {
    switch self {
    case .taken(let kept, let added, let removed, let radioRestarted, let warnings):
      let radio = radioRestarted ? "; the radio was started again" : ""
      return Self.lines(warnings)
        + "\(style.good("reloaded")): \(kept) \(kept == 1 ? "item" : "items") kept, \(added) added, "
        + "\(removed) removed\(radio)\n"
    case .refused(let findings, let omitted):
      let more = omitted == 0 ? "" : "…and \(omitted) more\n"
      return Self.lines(findings) + more + style.bad("refused") + ": the manifest of before is in force\n"
    }
  }

  private static func lines(_ findings: [String]) -> String {
    findings.map { StatusLine.shown($0) + "\n" }.joined()
  }
}
