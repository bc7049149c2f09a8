// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON
import VarlinkClient

extension ReceivedReply {
  /// Why the agent refused a call, as a sentence; nil when it did not.
  var refusal: String? {
    guard let error else { return nil }
    let line = JSONObjectReader(parameters)
    func text(_ name: String) -> String? { try? line.stringIfPresent(name) }
    if let reason = text("reason") { return text("cure").map { "\(reason); \($0)" } ?? reason }
    if let sentence = text("sentence") { return sentence }
    switch OperatorErrorName(rawValue: error) {
    case .busy: return "the app has an open request"
    case .requestClosed: return "the request has ended"
    case .notFound: return "the \(text("kind") ?? "accessory") is not there"
    case .invalid, .setupFailed, .registryUnavailable, .notDisconnected, nil: break
    }
    if error == GatewayErrorName.busy.rawValue { return "the agent is busy; close other readers of it" }
    return isPermissionDenied
      ? "the manifest's bridge section does not allow it"
      : String(error.split(separator: ".").last ?? "error")
  }

  var isPermissionDenied: Bool { error == "org.varlink.service.PermissionDenied" }

  /// The agent does not know the method: it is older than this program.
  var isUnknownMethod: Bool {
    error == "org.varlink.service.MethodNotFound" || error == "org.varlink.service.MethodNotImplemented"
  }

  /// Its parameters as a value; nil when they are none.
  func line<Value: ReadableLine>(_ type: Value.Type = Value.self) -> Value? {
    try? Value(reading: JSONObjectReader(parameters))
  }
}

extension BridgeCallError {
  var sentence: String {
    switch self {
    case .away(let reason): reason
    case .late: "the agent did not reply in time"
    case .tooLong: "the name is too long"
    }
  }
}

/// The accessories of the bridge's apps, as the agent's list has them.
struct AccessoryBook {
  private var lines: [String: AccessoryLine] = [:]
  /// Those of a list that is not complete yet.
  private var incoming: [String: AccessoryLine]? = [:]

  var count: Int { lines.count }

  /// The list begins again.
  mutating func restart() { incoming = [:] }

  mutating func update(_ reply: ReceivedReply) {
    let line = JSONObjectReader(reply.parameters)
    if let accessory: AccessoryLine = try? line.lineIfPresent("accessory") {
      if incoming != nil {
        incoming?[accessory.identifier] = accessory
      } else {
        lines[accessory.identifier] = accessory
      }
    } else if let gone = try? line.stringIfPresent("gone") {
      lines[gone] = nil
    } else if (try? line.boolIfPresent("isSynced")) == true, let complete = incoming {
      (lines, incoming) = (complete, nil)
    }
  }

  /// The accessory that a client names: by its identifier or the beginning of it, its name, or its address. Throws why
  /// there is none.
  func identifier(of name: String) throws(NameError) -> String {
    let wanted = name.lowercased()
    let found = lines.values.filter { line in
      line.displayName.lowercased() == wanted || line.address?.text?.lowercased() == wanted
        || (wanted.utf8.count >= 4 && line.identifier.hasPrefix(wanted))
    }
    guard let only = found.first else {
      let names = lines.values.map(\.displayName).sorted().prefix(8).joined(separator: ", ")
      throw NameError(
        sentence: names.isEmpty
          ? "there are no accessories" : "there is no accessory \(name); there are \(names)")
    }
    guard found.count == 1 else {
      throw NameError(sentence: "\(found.count) accessories are called \(name); give an identifier")
    }
    return only.identifier
  }

  struct NameError: Error { let sentence: String }
}
