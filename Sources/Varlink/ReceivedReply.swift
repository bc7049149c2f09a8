// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply that came in (varlink.org, "Method Call").
public struct ReceivedReply: Equatable, Sendable {
  public let parameters: JSONObject
  /// Whether another reply to the same call follows.
  public let continues: Bool
  /// The whole name of the error that the call failed with.
  public let error: String?

  /// Reads one message, its NUL removed; nil when it is no reply.
  public init?(reading message: Span<UInt8>, limits: JSONLimits = JSONLimits()) {
    guard let reply = try? ReceivedReply(message: message, limits: limits) else { return nil }
    self = reply
  }

  /// Reads one message, its NUL removed. Members that a later protocol may add are ignored.
  init(message: Span<UInt8>, limits: JSONLimits) throws(ClientProblem) {
    let element: JSONElement
    do throws(JSONProblem) {
      element = try JSONReader.read(message, limits: limits)
    } catch {
      throw .json(error)
    }
    guard case .object(let object) = element else { throw .notAReply }
    switch object["parameters"] {
    case .object(let parameters): self.parameters = parameters
    case .null, nil: parameters = JSONObject()
    case .truth, .integer, .fraction, .text, .array: throw .notAReply
    }
    switch object["continues"] {
    case .truth(let flag): continues = flag
    case .null, nil: continues = false
    case .integer, .fraction, .text, .array, .object: throw .notAReply
    }
    switch object["error"] {
    case .text(let name): error = name
    case .null, nil: error = nil
    case .truth, .integer, .fraction, .array, .object: throw .notAReply
    }
  }
}
