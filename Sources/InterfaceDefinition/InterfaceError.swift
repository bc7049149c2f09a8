// SPDX-License-Identifier: Apache-2.0

/// A mistake in an interface definition, and its position.
public struct InterfaceError: Error, Equatable, Sendable {
  public struct Kind: Equatable, Sendable {
    fileprivate let sentence: String

    /// Something else stands where this is due: a keyword, a sign, or what a name is for.
    package static func expected(_ what: String) -> Self { Self(sentence: "expected \(what)") }
    /// The name was given to a type, a method or an error before.
    package static func duplicateMember(_ name: String) -> Self {
      Self(sentence: "\(name) is described twice")
    }
    /// The structure or the enum has a field of the name already.
    package static func duplicateField(_ name: String) -> Self { Self(sentence: "\(name) stands twice here") }
    package static func unknownType(_ name: String) -> Self { Self(sentence: "there is no type \(name)") }
    package static func recursiveType(_ name: String) -> Self {
      Self(sentence: "\(name) needs itself to be whole; use an array, a map or ?")
    }
    package static let doubleOptional = Self(sentence: "a type is optional once")
    package static let tooDeep = Self(
      sentence: "more than \(InterfaceParser.depthMax) types stand in one another")
    package static let notUTF8 = Self(sentence: "the text is not UTF-8")
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
  public var description: String { "\(line):\(column): \(kind.sentence)" }
}
