// SPDX-License-Identifier: Apache-2.0

import JSON

/// The errors that every service may reply with: those of `org.varlink.service`.
public enum ServiceError: Error, Equatable, Sendable {
  /// A `cure` says what to do instead. It is one member more than the specification has, which a client ignores.
  case interfaceNotFound(String, cure: String? = nil)
  /// The full name of the method.
  case methodNotFound(String)
  /// The interface describes the method, but the service does not perform it.
  case methodNotImplemented(String)
  /// The path of the parameter: `name`, `filter.items[2]`.
  case invalidParameter(String)
  /// The reason and cure are members that the specification does not have, as above.
  case permissionDenied(reason: String? = nil, cure: String? = nil)
  /// The method replies more than once and was called without `more`.
  case expectedMore

  /// Text from the client is repeated up to this length.
  static let echoedCharactersMax = 256

  public var name: String {
    let member =
      switch self {
      case .interfaceNotFound: "InterfaceNotFound"
      case .methodNotFound: "MethodNotFound"
      case .methodNotImplemented: "MethodNotImplemented"
      case .invalidParameter: "InvalidParameter"
      case .permissionDenied: "PermissionDenied"
      case .expectedMore: "ExpectedMore"
      }
    return "\(ServiceInterface.name).\(member)"
  }

  func writeParameters(to json: inout JSONWriter) {
    switch self {
    case .interfaceNotFound(let interface, let cure):
      json.member("interface", Self.echo(interface))
      if let cure { json.member("cure", cure) }
    case .methodNotFound(let method), .methodNotImplemented(let method):
      json.member("method", Self.echo(method))
    case .invalidParameter(let parameter): json.member("parameter", Self.echo(parameter))
    case .permissionDenied(let reason, let cure):
      if let reason { json.member("reason", reason) }
      if let cure { json.member("cure", cure) }
    case .expectedMore: break
    }
  }

  private static func echo(_ text: String) -> String {
    String(text.unicodeScalars.prefix(echoedCharactersMax))
  }
}
