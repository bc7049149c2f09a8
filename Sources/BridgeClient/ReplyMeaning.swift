// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import JSON
public import VarlinkClient

extension ReceivedReply {
  /// Why the agent refused a call, as a sentence; nil when it did not.
  public var refusal: String? {
    guard let error else { return nil }
    let line = JSONObjectReader(parameters)
    func text(_ name: String) -> String? { try? line.stringIfPresent(name) }
    if let reason = text("reason") { return text("cure").map { "\(reason); \($0)" } ?? reason }
    if let sentence = text("sentence") { return sentence }
    switch OperatorErrorName(rawValue: error) {
    case .busy: return "the app has an open request"
    case .requestClosed: return "the request has ended, or does not wait for that now"
    case .notFound: return "the \(text("kind") ?? "accessory") is not there"
    case .invalid, .setupFailed, .registryUnavailable, .notDisconnected, nil: break
    }
    switch GatewayErrorName(rawValue: error) {
    case .busy: return "the agent is busy; close other readers of it"
    case .deviceNotInSight: return "the device is not heard now"
    default: break
    }
    if isInvalidParameter { return "the agent does not take this \(text("parameter") ?? "value")" }
    return isPermissionDenied
      ? "the manifest's bridge section does not allow it"
      : String(error.split(separator: ".").last ?? "error")
  }

  public var isPermissionDenied: Bool { error == "org.varlink.service.PermissionDenied" }

  public var isInvalidParameter: Bool { error == "org.varlink.service.InvalidParameter" }

  /// The agent does not know the method: it is older than this program.
  public var isUnknownMethod: Bool {
    ["MethodNotFound", "MethodNotImplemented", "InterfaceNotFound"].contains {
      error == "org.varlink.service.\($0)"
    }
  }

  /// Its parameters as a value; nil when they are none.
  public func line<Value: ReadableLine>(_ type: Value.Type = Value.self) -> Value? {
    try? Value(reading: JSONObjectReader(parameters))
  }
}

extension BridgeCallError {
  public var sentence: String {
    switch self {
    case .away(let reason): reason
    case .late: "the agent did not reply in time"
    case .tooLong: "the name is too long"
    }
  }
}
