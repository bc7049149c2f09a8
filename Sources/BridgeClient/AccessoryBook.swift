// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import JSON
public import VarlinkClient

/// The accessories of the bridge's apps, as the agent's list has them.
public struct AccessoryBook: Sendable {
  /// What a reply of the list has changed.
  public enum Change: Equatable, Sendable {
    case nothing
    case replaced(String)
    case gone(String)
    /// The list is complete, and takes the place of the one before.
    case synced
  }

  /// By their identifiers; those of the list before, until a new one is complete.
  public private(set) var lines: [String: AccessoryLine] = [:]
  /// Those of a list that is not complete yet.
  private var incoming: [String: AccessoryLine]? = [:]

  public init() {}

  public var count: Int { lines.count }

  /// The list begins again.
  public mutating func restart() { incoming = [:] }

  @discardableResult
  public mutating func update(_ reply: ReceivedReply) -> Change {
    let line = JSONObjectReader(reply.parameters)
    if let accessory: AccessoryLine = try? line.lineIfPresent("accessory") {
      guard incoming == nil else {
        incoming?[accessory.identifier] = accessory
        return .nothing
      }
      lines[accessory.identifier] = accessory
      return .replaced(accessory.identifier)
    }
    if let gone = try? line.stringIfPresent("gone") {
      lines[gone] = nil
      return .gone(gone)
    }
    guard (try? line.boolIfPresent("isSynced")) == true, let complete = incoming else { return .nothing }
    (lines, incoming) = (complete, nil)
    return .synced
  }

  /// The client itself has renamed it: the agent's list says so up to a second later.
  public mutating func wasRenamed(_ identifier: String, to name: String) {
    lines[identifier]?.displayName = name
  }

  /// The client itself has removed it.
  public mutating func wasRemoved(_ identifier: String) { lines[identifier] = nil }

  /// The app's accessory with an address.
  public func identifier(of address: UInt64, ofApp app: String) -> String? {
    lines.values.first { $0.app == app && $0.address?.bits == address }?.identifier
  }

  /// The accessory that a client names: by its identifier or the beginning of it, its name, or its address. Throws why
  /// there is none.
  public func identifier(of name: String) throws(NameError) -> String {
    let wanted = name.lowercased()
    let found = lines.values.filter { line in
      line.displayName.lowercased() == wanted || line.address?.text?.lowercased() == wanted
        || (wanted.utf8.count >= 4 && line.identifier.hasPrefix(wanted))
    }
    guard let only = found.first else {
      let names = lines.values.map(\.displayName).sorted()
      guard !names.isEmpty else { throw NameError(sentence: "there are no accessories") }
      let others = names.count > 8 ? " and \(names.count - 8) more" : ""
      throw NameError(
        sentence: (name.isEmpty ? "no accessory is named" : "there is no accessory \(name)")
          + "; there are \(names.prefix(8).joined(separator: ", "))\(others)")
    }
    guard found.count == 1 else {
      throw NameError(sentence: "\(found.count) accessories are called \(name); give an identifier")
    }
    return only.identifier
  }

  public struct NameError: Error { public let sentence: String }
}
