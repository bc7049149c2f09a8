// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// What changes from one text to another, line by line, as `diff -u` writes it and `patch` reads it.
public struct TextDifference {
  /// Unchanged lines around a change.
  private static let contextCount = 3

  /// One line of the difference, and where it stands in both texts.
  fileprivate enum Line {
    case same(String)
    case removed(String)
    case added(String)
  }

  private let name: String
  private let lines: [Line]

  /// `name` is the file's.
  public init(from old: String, to new: String, name: String) {
    self.name = name
    let (before, after) = (Self.lines(of: old), Self.lines(of: new))
    let changes = after.difference(from: before)
    let removed = Set(changes.removals.map(\.place))
    let added = Set(changes.insertions.map(\.place))
    var lines: [Line] = []
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < before.count || newIndex < after.count {
      if removed.contains(oldIndex) {
        lines.append(.removed(before[oldIndex]))
        oldIndex += 1
      } else if added.contains(newIndex) {
        lines.append(.added(after[newIndex]))
        newIndex += 1
      } else {
        lines.append(.same(before[oldIndex]))
        oldIndex += 1
        newIndex += 1
      }
    }
    self.lines = lines
  }

  /// Empty when nothing changes.
  public func text(_ style: TextStyle = .plain) -> String {
    let hunks = self.hunks
    guard !hunks.isEmpty else { return "" }
    return "--- \(name)\n+++ \(name)\n" + hunks.map { text(of: $0, style) }.joined()
  }

  /// Ranges of lines with a change and its context; those that would touch are one.
  private var hunks: [Range<Int>] {
    var hunks: [Range<Int>] = []
    for index in lines.indices where !lines[index].isSame {
      let range = max(0, index - Self.contextCount)..<min(lines.count, index + Self.contextCount + 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    return hunks
  }

  private func text(of hunk: Range<Int>, _ style: TextStyle) -> String {
    let before = lines[..<hunk.lowerBound]
    func place(_ isCounted: (Line) -> Bool) -> String {
      let count = lines[hunk].count(where: isCounted)
      return "\(before.count(where: isCounted) + (count > 0 ? 1 : 0)),\(count)"
    }
    let head = "@@ -\(place { !$0.isAdded }) +\(place { !$0.isRemoved }) @@\n"
    return head + lines[hunk].map { $0.text(style) + "\n" }.joined()
  }

  /// Without the empty one after the last line break.
  private static func lines(of text: String) -> [String] {
    // A carriage return before the line break belongs to the line.
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}

extension TextDifference.Line {
  fileprivate var isSame: Bool { if case .same = self { true } else { false } }
  fileprivate var isAdded: Bool { if case .added = self { true } else { false } }
  fileprivate var isRemoved: Bool { if case .removed = self { true } else { false } }

  fileprivate func text(_ style: TextStyle) -> String {
    switch self {
    case .same(let line): " \(Self.safe(line))"
    case .removed(let line): style.bad("-\(Self.safe(line))")
    case .added(let line): style.good("+\(Self.safe(line))")
    }
  }

  /// A file may hold what a terminal would act on.
  private static func safe(_ line: String) -> String {
    line.unicodeScalars.allSatisfy { $0 == "\t" || $0 == "\r" || !$0.isInvisible }
      ? line : AirText(Array(line.utf8)).sentence(columnsMax: 1000)
  }
}

extension CollectionDifference.Change {
  fileprivate var place: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
