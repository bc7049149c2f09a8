// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// What a program's author reads of the interfaces.
@Suite("The comments of the interfaces")
struct InterfaceCommentTests {
  static let names = ["Gateway", "Operator", "Session"]

  /// Finds what lacks an explanation: methods without a deadline, types and methods without a comment, and fields whose
  /// name is not in their declaration's comment and that are neither below a comment nor the second of a pair below
  /// one.
  private static func unexplained(_ text: String) -> [String] {
    var unexplained: [String] = []
    var comment = ""
    var declaration = ""
    var fieldsSinceComment = 2
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.trimmingPrefix(while: \.isWhitespace)
      if words.hasPrefix("#") {
        comment += words
        fieldsSinceComment = 0
        continue
      }
      if line.hasPrefix("type ") || line.hasPrefix("method ") {
        declaration = comment
        fieldsSinceComment = 2
        if comment.isEmpty || line.hasPrefix("method") && !comment.contains("Deadline:") {
          unexplained.append(String(line))
        }
      } else if let field = line.prefixMatch(of: #/  (\w+): /#) {
        fieldsSinceComment += 1
        if fieldsSinceComment > 2, !declaration.contains(field.1) { unexplained.append(String(words)) }
      }
      comment = ""
    }
    return unexplained
  }

  @Test("Every method states its deadline, and every field has a comment", arguments: names)
  func everything(name: String) throws {
    let path = Package.path("Config/io.accessoryd.\(name).varlink")
    #expect(Self.unexplained(try String(contentsOfFile: path, encoding: .utf8)) == [])
  }

  @Test("What lacks one is found")
  func canary() {
    let text = """
      # Names `a`.
      type Item (
        a: int,
        # Two of them.
        b: int,
        c: int,
        d: int
      )

      # Does it.
      method Do() -> ()

      # Deadline: none.
      method Wait() -> ()

      type Other (
      )
      """
    #expect(Self.unexplained(text) == ["d: int", "method Do() -> ()", "type Other ("])
  }
}
