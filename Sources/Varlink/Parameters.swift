// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The parameters of a call, checked against the description of its method.
///
/// Reading a parameter as another type than the described one fails as if the caller had sent the wrong type.
public struct Parameters: Equatable, Sendable {
  public let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  public var reader: JSONObjectReader { JSONObjectReader(object) }

  /// The value of a parameter; nil when it is absent or null.
  public subscript(_ name: String) -> JSONValue? { reader.valueIfPresent(name) }

  public func string(_ name: String) throws(ServiceError) -> String {
    try read { reader throws(JSONMemberError) in try reader.string(name) }
  }

  public func stringIfPresent(_ name: String) throws(ServiceError) -> String? {
    try read { reader throws(JSONMemberError) in try reader.stringIfPresent(name) }
  }

  public func integer(_ name: String) throws(ServiceError) -> Int64 {
    try read { reader throws(JSONMemberError) in try reader.integer(name) }
  }

  public func integerIfPresent(_ name: String) throws(ServiceError) -> Int64? {
    try read { reader throws(JSONMemberError) in try reader.integerIfPresent(name) }
  }

  /// `default` when the parameter is absent or null.
  public func bool(_ name: String, default: Bool = false) throws(ServiceError) -> Bool {
    try read { reader throws(JSONMemberError) in try reader.boolIfPresent(name) } ?? `default`
  }

  /// Empty when the parameter is absent or null.
  public func strings(_ name: String) throws(ServiceError) -> [String] {
    try read { reader throws(JSONMemberError) in try reader.stringsIfPresent(name) } ?? []
  }

  private func read<Value>(
    _ body: (JSONObjectReader) throws(JSONMemberError) -> Value
  ) throws(ServiceError) -> Value {
    do throws(JSONMemberError) { return try body(reader) } catch { throw .invalidParameter(error.path) }
  }
}
