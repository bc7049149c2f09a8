// SPDX-License-Identifier: Apache-2.0

/// A mistake in an interface definition, and its position.
public struct InterfaceError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// Something else stands where this is due: a keyword, a sign, or what a name is for.
    case expected(String)
    /// The name was given to a type, a method or an error before.
    case duplicateMember(String)
    /// The structure or the enum has a field of the name already.
    case duplicateField(String)
    /// No type of the interface has the name.
    case unknownType(String)
    /// A type needs itself to be whole.
    case recursiveType(String)
    /// `??`
    case doubleOptional
    /// Types stand more than ``InterfaceParser/depthMax`` deep in one another.
    case tooDeep
    /// The file is not UTF-8.
    case notUTF8
  }

  public let kind: Kind
  /// Counted from 1; the column counts bytes.
  public let line: Int
  public let column: Int

  package init(kind: Kind, line: Int, column: Int) {
    self.kind = kind
    self.line = line
    self.column = column
  }
}

extension InterfaceError: CustomStringConvertible {
  /// `7:12: expected a type`
  public var description: String { "\(line):\(column): \(sentence)" }

  private var sentence: String {
    switch kind {
    case .expected(let what): "expected \(what)"
    case .duplicateMember(let name): "\(name) is described twice"
    case .duplicateField(let name): "\(name) stands twice here"
    case .unknownType(let name): "there is no type \(name)"
    case .recursiveType(let name): "\(name) needs itself to be whole; use an array, a map or ?"
    case .doubleOptional: "a type is optional once"
    case .tooDeep: "more than \(InterfaceParser.depthMax) types stand in one another"
    case .notUTF8: "the text is not UTF-8"
    }
  }
}
