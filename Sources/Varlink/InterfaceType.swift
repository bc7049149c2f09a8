// SPDX-License-Identifier: Apache-2.0

/// A type of the interface definition language (varlink.org, "Interface Definition").
public indirect enum InterfaceType: Equatable, Sendable {
  case truth
  case integer
  case fraction
  case text
  /// `object`: any JSON object, described nowhere.
  case foreign
  case structure([InterfaceField])
  /// The names, one of which a text is.
  case choice([String])
  /// A type of the same interface.
  case named(String)
  case array(InterfaceType)
  /// `[string]`: an object whose members are all of one type.
  case map(InterfaceType)
  /// `?`: null and absence are values too.
  case optional(InterfaceType)

  var isOptional: Bool {
    if case .optional = self { true } else { false }
  }
}

/// A field of a structure, or one parameter of a method or an error.
public struct InterfaceField: Equatable, Sendable {
  public let name: String
  public let type: InterfaceType

  public init(name: String, type: InterfaceType) {
    self.name = name
    self.type = type
  }
}
