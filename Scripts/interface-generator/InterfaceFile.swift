// SPDX-License-Identifier: GPL-3.0-or-later

/// A member of a type, of the parameters of a method, or of its reply.
struct Member {
  indirect enum Base {
    case word([String])
    case structure([Member])
    /// `bool`, `int`, `float`, `string`, or a type of the interface.
    case named(String)
  }

  let name: String
  let comment: [String]
  var isOptional = false
  var isArray = false
  var base = Base.named("")
}

/// What an interface declares, in its order and with its comments, which the parser of InterfaceDefinition does not keep.
/// Reads the form of the files in Config: one member a line, and a comment before it.
struct InterfaceFile {
  struct Declaration {
    /// `type`, `method` or `error`; `interface` of the first.
    let kind: String
    let name: String
    let comment: [String]
    var members: [Member] = []
    /// The reply of a method.
    var reply: [Member] = []
  }

  private(set) var name = ""
  private(set) var declarations: [Declaration] = []
  private var lines: ArraySlice<Substring>
  /// The line that closed the last structure.
  private var closingLine: Substring = ""

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    var comment: [String] = []
    while let line = lines.popFirst() {
      let words = line.split(whereSeparator: { " (".contains($0) }).map(String.init)
      guard let kind = words.first, kind != "#" else {
        comment = words.isEmpty ? [] : comment + [Self.text(ofComment: line)]
        continue
      }
      defer { comment = [] }
      var declaration = Declaration(kind: kind, name: words[1], comment: comment)
      closingLine = line
      if kind == "interface" { name = words[1] }
      if kind != "interface", !line.contains("->") { declaration.members = members() }
      if closingLine.hasSuffix("-> (") { declaration.reply = members() }
      declarations.append(declaration)
    }
  }

  private static func text(ofComment line: Substring) -> String {
    String(line.drop { $0 == " " || $0 == "#" })
  }

  /// Up to the line that closes the structure, which it consumes.
  private mutating func members() -> [Member] {
    var members: [Member] = []
    var comment: [String] = []
    while var line = lines.popFirst()?.drop(while: { $0 == " " }) {
      if line.hasPrefix("#") {
        comment.append(Self.text(ofComment: line))
        continue
      }
      closingLine = line
      if line.hasPrefix(")") { return members }
      // The words of an enumeration may go on in the next line.
      while !line.hasSuffix("("), line.contains("("), !line.contains(")"), let next = lines.popFirst() {
        line += next
      }
      members.append(member(line, comment))
      comment = []
    }
    fatalError("a structure is not closed")
  }

  private mutating func member(_ line: Substring, _ comment: [String]) -> Member {
    guard let colon = line.firstIndex(of: ":") else { fatalError("no member: \(line)") }
    var type = line[colon...].drop { ": ".contains($0) }
    if type.hasSuffix(",") { type = type.dropLast() }
    var member = Member(name: String(line[..<colon]), comment: comment)
    if type.hasPrefix("?") { (member.isOptional, type) = (true, type.dropFirst()) }
    if type.hasPrefix("[]") { (member.isArray, type) = (true, type.dropFirst(2)) }
    member.base =
      if type == "(" { .structure(members()) } else if type.hasPrefix("(") {
        .word(type.split(whereSeparator: { "(), ".contains($0) }).map(String.init))
      } else { .named(String(type)) }
    return member
  }
}
