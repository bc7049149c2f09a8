// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// A command line, taken apart by getopt_long(3): options have long names, may be abbreviated, and may stand anywhere.
///
/// Capacity: 16 options.
public struct CommandLineOptions {
  /// An option a program knows.
  public struct Option: Sendable {
    let name: StaticString
    let takesValue: Bool

    public init(_ name: StaticString, takesValue: Bool) {
      self.name = name
      self.takesValue = takesValue
    }
  }

  public enum Problem: Error, Equatable, Sendable {
    /// No option, several, or one that takes no value and was given one: the word as it was given.
    case unknown(String)
    case withoutValue(String)
  }

  /// The options that were given, in their order: their places in the list of those known, and their values.
  public private(set) var given: [(option: Int, value: String?)] = []
  /// A word that belongs to no option.
  public private(set) var otherWord: String?

  /// `words` begin with the program's own name. One thread may ask at a time: getopt has one place for its state.
  public init(_ words: [String], _ options: [Option]) throws(Problem) {
    precondition(options.count <= Int(CLINUX_OPTIONS_MAX), "a program has few options")
    // Holds: every copy lives until the end of this initialiser, behind which nothing points at it.
    var copies = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var known = clinux_options()
    for (index, option) in options.enumerated() {
      // Holds: the name is a literal, which never moves, and ends with a zero.
      unsafe clinux_option_add(&known, UnsafeRawPointer(option.name.utf8Start), option.takesValue ? 1 : 0)
      precondition(known.count == index + 1, "every option has its place")
    }
    var found: Int32 = 0
    var isFirst: Int32 = 1
    while found != CLINUX_OPTION_END {
      var pointer: UnsafePointer<CChar>?
      // Holds: the copies end with a null, and the pointer is into one of them.
      found = unsafe clinux_next_option(Int32(words.count), &copies, &known, isFirst, &pointer)
      let value = unsafe pointer.map { unsafe String(cString: $0) }
      isFirst = 0
      switch found {
      case Int32(CLINUX_OPTION_END): otherWord = value
      case Int32(CLINUX_OPTION_UNKNOWN): throw .unknown(value ?? "")
      case Int32(CLINUX_OPTION_WITHOUT_VALUE): throw .withoutValue(value ?? "")
      default: given.append((Int(found), value))
      }
    }
  }
}
