// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A method call from a client (varlink.org, "Method Call").
public struct Call: Equatable, Sendable {
  /// In reverse-domain notation; well formed, but the service may not have it.
  public let interface: String
  /// The name within the interface.
  public let method: String
  public let parameters: JSONObject
  /// The caller expects no reply and must not receive one.
  public let isOneway: Bool
  /// The caller accepts more than one reply.
  public let wantsMore: Bool

  public var fullName: String { "\(interface).\(method)" }

  private static let memberNames: Set = ["method", "parameters", "oneway", "more", "upgrade"]

  fileprivate init(_ object: JSONObject) throws(ServiceError) {
    for member in object.members where !Self.memberNames.contains(member.name) {
      throw .invalidParameter(member.name)
    }
    guard case .string(let name)? = object["method"], let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
    else {
      throw .invalidParameter("method")
    }
    interface = String(name[..<dot])
    method = String(name[name.utf8.index(after: dot)...])
    guard InterfaceName.isValid(interface), InterfaceName.isMember(method) else {
      throw .invalidParameter("method")
    }
    parameters = try Self.parameters(of: object)
    isOneway = try Self.flag("oneway", of: object)
    wantsMore = try Self.flag("more", of: object)
    // No method here upgrades to another protocol, and a oneway call cannot ask for several replies.
    guard try !Self.flag("upgrade", of: object) else { throw .invalidParameter("upgrade") }
    guard !isOneway || !wantsMore else { throw .invalidParameter("more") }
  }

  private static func parameters(of object: JSONObject) throws(ServiceError) -> JSONObject {
    switch object["parameters"] {
    case .object(let parameters): return parameters
    case .null, nil: return JSONObject()
    case .bool, .integer, .double, .string, .array: throw .invalidParameter("parameters")
    }
  }

  private static func flag(_ name: String, of object: JSONObject) throws(ServiceError) -> Bool {
    switch object[name] {
    case .bool(let flag): return flag
    case .null, nil: return false
    case .integer, .double, .string, .array, .object: throw .invalidParameter(name)
    }
  }
}

/// The result of reading a message as a call.
public enum ReceivedCall: Equatable, Sendable {
  case call(Call)
  /// An object, but not a valid call. A `oneway` call gets no reply even then.
  case refused(ServiceError, isOneway: Bool)
  /// Not a JSON object: it is unknown whether a reply is expected, so nothing more can be read.
  case unreadable(CallError)

  /// Reads one message without its NUL.
  public init(reading message: Span<UInt8>, limits: JSONLimits = JSONLimits()) {
    do throws(JSONError) {
      guard case .object(let object) = try JSONReader.read(message, limits: limits) else {
        self = .unreadable(.notAnObject)
        return
      }
      self = Self(object)
    } catch {
      self = .unreadable(.json(error))
    }
  }

  private init(_ object: JSONObject) {
    do throws(ServiceError) {
      self = .call(try Call(object))
    } catch {
      self = .refused(error, isOneway: object["oneway"] == .bool(true))
    }
  }
}

/// Why a message is not a call.
public enum CallError: Error, Equatable, Sendable {
  case json(JSONError)
  case notAnObject
}

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
