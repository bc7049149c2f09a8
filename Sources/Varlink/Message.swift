// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Writes messages (varlink.org, "Method Call"), each with its NUL. Members are in the order of the specification; those
/// that would be `false` are left out.
public enum Message {
  /// A reply; `parameters` writes the members of its object. With `continues`, another will follow.
  public static func reply(
    continues: Bool = false, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [UInt8] {
    print { json in
      json.object("parameters", parameters)
      if continues { json.member("continues", true) }
    }
  }

  /// The error reply to a call; `error` is the error's full name.
  public static func error(
    _ error: String, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [UInt8] {
    print { json in
      json.object("parameters", parameters)
      json.member("error", error)
    }
  }

  public static func error(_ error: ServiceError) -> [UInt8] {
    self.error(error.name) { error.writeParameters(to: &$0) }
  }

  package static func print(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    // Most messages are shorter.
    var json = JSONWriter(reserving: 512)
    json.message(body)
    return json.takeBytes()
  }
}

/// An error that every service may reply with, one of `org.varlink.service`.
public struct ServiceError: Error, Equatable, Sendable {
  /// The full name.
  public let name: String
  private let parameters: [Parameter]

  private struct Parameter: Equatable, Sendable {
    let name: String
    let text: String
  }

  /// Text from the client is repeated up to this length.
  static let echoedCharactersMax = 256

  private init(_ name: String, echoing echo: (String, String)? = nil, _ others: [(String, String?)] = []) {
    self.name = "\(ServiceInterface.name).\(name)"
    let echoed = echo.map { ($0, String($1.unicodeScalars.prefix(Self.echoedCharactersMax))) }
    parameters = ((echoed.map { [$0] } ?? []) + others).compactMap { name, text in
      text.map { Parameter(name: name, text: $0) }
    }
  }

  /// A `cure` says what to do instead. It is one member more than the specification has, which a client ignores.
  public static func interfaceNotFound(_ interface: String, cure: String? = nil) -> Self {
    Self("InterfaceNotFound", echoing: ("interface", interface), [("cure", cure)])
  }
  /// The full name of the method.
  public static func methodNotFound(_ method: String) -> Self {
    Self("MethodNotFound", echoing: ("method", method))
  }
  /// The interface describes the method, but the service does not perform it.
  public static func methodNotImplemented(_ method: String) -> Self {
    Self("MethodNotImplemented", echoing: ("method", method))
  }
  /// The path of the parameter: `name`, `filter.items[2]`.
  public static func invalidParameter(_ parameter: String) -> Self {
    Self("InvalidParameter", echoing: ("parameter", parameter))
  }
  /// The reason and cure are members that the specification does not have, as above.
  public static func permissionDenied(reason: String? = nil, cure: String? = nil) -> Self {
    Self("PermissionDenied", [("reason", reason), ("cure", cure)])
  }
  /// The method replies more than once and was called without `more`.
  public static let expectedMore = Self("ExpectedMore")

  func writeParameters(to json: inout JSONWriter) {
    for parameter in parameters { json.member(parameter.name, parameter.text) }
  }
}
