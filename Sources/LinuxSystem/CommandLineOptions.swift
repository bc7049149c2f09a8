// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// A command line, parsed by getopt_long(3): options have long names, may be abbreviated, and may stand anywhere.
///
/// Capacity: 16 options.
public struct CommandLineOptions {
  /// An option of a program.
  public struct Option: Sendable {
    let name: StaticString
    let takesValue: Bool

    public init(_ name: StaticString, takesValue: Bool) {
      (self.name, self.takesValue) = (name, takesValue)
    }
  }

  public enum ParseError: Error, Equatable, Sendable {
    /// The argument matches no option, matches several, or has a value for an option without one.
    case unknown(String)
    case withoutValue(String)
  }

  /// The given options in their order: index in the list of the program's options, and value.
  public private(set) var given: [(option: Int, value: String?)] = []
  /// The arguments that belong to no option, in their order.
  public private(set) var otherArguments: [String] = []
  public var otherArgument: String? { otherArguments.first }

  /// Parses `arguments`, which begin with the program's name. One thread may parse at a time: getopt has one global
  /// state.
  public init(_ arguments: [String], _ options: [Option]) throws(ParseError) {
    precondition(options.count <= Int(CLINUX_OPTIONS_MAX), "a program has few options")
    // Holds: every copy lives until the end of this initialiser, after which nothing points at it.
    var copies = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var known = clinux_options()
    for (index, option) in options.enumerated() {
      // Holds: the name is a literal, which never moves, and ends with a zero.
      unsafe clinux_option_add(&known, UnsafeRawPointer(option.name.utf8Start), option.takesValue ? 1 : 0)
      precondition(known.count == index + 1, "every option fits")
    }
    var found: Int32 = 0
    var isFirst: Int32 = 1
    while found != CLINUX_OPTION_END {
      var pointer: UnsafePointer<CChar>?
      // Holds: the copies end with a null, and the pointer is into one of them.
      found = unsafe clinux_next_option(Int32(arguments.count), &copies, &known, isFirst, &pointer)
      let value = unsafe pointer.map { unsafe String(cString: $0) }
      isFirst = 0
      switch found {
      case Int32(CLINUX_OPTION_END):
        // getopt has moved them to the end, where the pointer is to the first of them.
        let others = unsafe copies.drop { unsafe $0.map { unsafe UnsafePointer($0) } != pointer }
        otherArguments = unsafe others.compactMap { unsafe $0.map { unsafe String(cString: $0) } }
      case Int32(CLINUX_OPTION_UNKNOWN): throw .unknown(value ?? "")
      case Int32(CLINUX_OPTION_WITHOUT_VALUE): throw .withoutValue(value ?? "")
      default: given.append((Int(found), value))
      }
    }
  }
}
