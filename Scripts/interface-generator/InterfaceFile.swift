// SPDX-License-Identifier: GPL-3.0-or-later

import InterfaceDefinition
import Varlink

/// An interface with the order and the comments of its file, which the parser of InterfaceDefinition does not keep.
/// Reads the form of the files in Config: one member a line, and a comment before it.
struct InterfaceFile {
  let description: InterfaceDescription
  /// The names of types, methods and errors, in the order of the file.
  private(set) var names: [String] = []
  /// What the file says about each name and each member: `Event`, `Event.device`, `Open(.usesTouch`, `Watch).event`.
  private(set) var comments: [String: [String]] = [:]

  init(_ text: String) throws(InterfaceError) {
    description = try InterfaceParser.parse(Array(text.utf8))
    var (path, step, comment): ([String], String, [String]) = ([], "", [])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("#") {
        comment.append(String(line.drop { $0 == " " || $0 == "#" }))
        continue
      }
      let words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
      if line.hasPrefix(")") {
        // The parameters of a method end, and its reply may begin.
        step = path.removeLast().dropLast() + ")"
      } else if path.isEmpty, words.count > 1, words[0] != "interface" {
        names.append(words[1])
        comments[words[1]] = comment
        step = words[1] + (words[0] == "method" ? line.contains("->") ? ")" : "(" : "")
      } else if line.contains(":") {
        step = words[0]
        comments[(path + [step]).joined(separator: ".")] = comment
      }
      if line.hasSuffix("(") { path.append(step) }
      comment = []
    }
  }
}
