// SPDX-License-Identifier: GPL-3.0-or-later

/// What the comments of an interface's file say, line by line, for tests that hold it against what is sent.
///
/// Nothing of the parser is in it: it takes a file whose fields begin lines.
public struct InterfaceText: Sendable {
  /// Fields that have no comment in the line above, as `Member.field`.
  public private(set) var bareFields: [String] = []
  /// What stands above each method.
  public private(set) var comments: [String: String] = [:]
  /// The words behind `Errors:` in the comment of each method.
  private var errors: [String: Set<String>] = [:]
  private let name: String
  private var member = ""
  private var comment = ""

  public init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    name = lines.first { $0.hasPrefix("interface ") }.map { String($0.dropFirst(10)) } ?? ""
    for line in lines { readLine(line.drop { $0 == " " }) }
  }

  /// Whether the method's comment names an error that replied to it. Errors that may reply to any message need no
  /// comment.
  public func names(_ error: String, of method: String) -> Bool {
    let isForAnyMessage = [".MessageRefused", ".TooManyConnections"].contains { error.hasSuffix($0) }
    guard error.hasPrefix(name + "."), !isForAnyMessage else {
      return error.hasPrefix("org.varlink.service.") || isForAnyMessage
    }
    return errors[method]?.contains(String(error.dropFirst(name.count + 1))) ?? false
  }

  private mutating func readLine(_ line: Substring) {
    guard line.first != "#" else { return comment += line }
    for keyword in ["type ", "method ", "error "] where line.hasPrefix(keyword) {
      member = String(line.dropFirst(keyword.count).prefix { $0.isLetter })
      guard keyword == "method " else { continue }
      comments[member] = comment
      errors[member] = Self.errors(in: comment)
    }
    readFields(line.prefix { $0 != "#" })
    comment = ""
  }

  private mutating func readFields(_ code: Substring) {
    for (place, part) in code.split(separator: ":", omittingEmptySubsequences: false).dropLast().enumerated()
    {
      let field = String(part.reversed().prefix { $0.isLetter || $0.isNumber }.reversed())
      let isAlone = place == 0 && part.count == field.count
      if !isAlone || comment.isEmpty { bareFields.append("\(member).\(field)") }
    }
  }

  private static func errors(in comment: String) -> Set<String> {
    guard let start = comment.firstRange(of: "Errors:") else { return [] }
    return Set(comment[start.upperBound...].split { !$0.isLetter }.map(String.init))
  }
}
