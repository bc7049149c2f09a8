// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply from a service (varlink.org, "Method Call").
public struct ReceivedReply: Equatable, Sendable {
  public let parameters: JSONObject
  /// Whether another reply to the same call follows.
  public let continues: Bool
  /// The full name of the error that the call failed with.
  public let error: String?

  /// Reads one message without its NUL; nil when it is not a reply.
  public init?(reading message: Span<UInt8>, limits: JSONLimits = JSONLimits()) {
    guard let reply = try? ReceivedReply(message: message, limits: limits) else { return nil }
    self = reply
  }

  /// Reads one message without its NUL. Unknown members are ignored.
  init(message: Span<UInt8>, limits: JSONLimits) throws(ClientError) {
    let element: JSONValue
    do throws(JSONError) {
      element = try JSONReader.read(message, limits: limits)
    } catch {
      throw .json(error)
    }
    guard case .object(let object) = element else { throw .notAReply }
    switch object["parameters"] {
    case .object(let parameters): self.parameters = parameters
    case .null, nil: parameters = JSONObject()
    case .bool, .integer, .double, .string, .array: throw .notAReply
    }
    switch object["continues"] {
    case .bool(let flag): continues = flag
    case .null, nil: continues = false
    case .integer, .double, .string, .array, .object: throw .notAReply
    }
    switch object["error"] {
    case .string(let name): error = name
    case .null, nil: error = nil
    case .bool, .integer, .double, .array, .object: throw .notAReply
    }
  }
}
