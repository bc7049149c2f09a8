// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The parameters of a call, checked against the description of its method.
///
/// Asking for another type than the description's is answered as if the caller had sent a wrong one.
public struct Parameters: Equatable, Sendable {
  public let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// The value of a parameter; nil when it is absent or null.
  public subscript(_ name: String) -> JSONValue? {
    guard let element = object[name], element != .null else { return nil }
    return element
  }

  public func text(_ name: String) throws(ServiceError) -> String {
    guard let text = try textIfAny(name) else { throw .invalidParameter(name) }
    return text
  }

  public func textIfAny(_ name: String) throws(ServiceError) -> String? {
    guard let element = self[name] else { return nil }
    guard case .string(let text) = element else { throw .invalidParameter(name) }
    return text
  }

  public func integer(_ name: String) throws(ServiceError) -> Int64 {
    guard let integer = try integerIfAny(name) else { throw .invalidParameter(name) }
    return integer
  }

  public func integerIfAny(_ name: String) throws(ServiceError) -> Int64? {
    guard let element = self[name] else { return nil }
    guard case .integer(let integer) = element else { throw .invalidParameter(name) }
    return integer
  }

  /// `default` when the parameter is absent or null.
  public func truth(_ name: String, default: Bool = false) throws(ServiceError) -> Bool {
    guard let element = self[name] else { return `default` }
    guard case .bool(let bool) = element else { throw .invalidParameter(name) }
    return bool
  }

  /// Empty when the parameter is absent or null.
  public func texts(_ name: String) throws(ServiceError) -> [String] {
    guard let element = self[name] else { return [] }
    guard case .array(let elements) = element else { throw .invalidParameter(name) }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw .invalidParameter(name) }
      texts.append(text)
    }
    return texts
  }
}
