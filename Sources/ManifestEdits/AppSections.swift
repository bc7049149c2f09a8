// SPDX-License-Identifier: GPL-3.0-or-later

/// A manifest's text in two parts: the tables of apps with their items, and everything else.
///
/// Lines that begin with a bracket separate the parts. A text that is none of TOML, or that hides such a line in a string,
/// only makes the other part larger.
public enum AppSections {
  /// The first line, counted from 1, at which a draft differs from a manifest outside the tables of apps; nil when it does not.
  public static func firstOtherDifference(of draft: [UInt8], from manifest: [UInt8]) -> Int? {
    let (new, old) = (others(in: draft), others(in: manifest))
    for (new, old) in zip(new, old) where new.text != old.text { return new.line }
    if new.count > old.count { return new[old.count].line }
    return new.count < old.count ? (new.last?.line ?? 0) + 1 : nil
  }

  /// The lines that belong to no app, without empty ones and comments alone.
  private static func others(in text: [UInt8]) -> [(line: Int, text: ArraySlice<UInt8>)] {
    var (lines, isApp) = ([(line: Int, text: ArraySlice<UInt8>)](), false)
    for (number, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let trimmed = line.trimmed
      if trimmed.first == UInt8(ascii: "[") { isApp = isAppHeader(trimmed) }
      guard !isApp, let first = trimmed.first, first != UInt8(ascii: "#") else { continue }
      lines.append((number + 1, trimmed))
    }
    return lines
  }

  /// `[app.NAME…]` or `[[app.NAME…]]`.
  private static func isAppHeader(_ line: ArraySlice<UInt8>) -> Bool {
    ["[app.", "[[app."].contains { line.starts(with: $0.utf8) }
  }
}

extension ArraySlice<UInt8> {
  /// Without blanks, tabs and carriage returns at both ends.
  fileprivate var trimmed: ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}
