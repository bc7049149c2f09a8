// SPDX-License-Identifier: Apache-2.0

public import JSON

/// What the registry is like: a line of `registry show --json` (`Config/schema/registry.schema.json`), and a reply of
/// Registry of `io.accessoryd.Operator`.
public enum RegistryLine: Equatable, Line {
  public enum State: String, CaseIterable, Sendable {
    /// It is being read.
    case opening
    case open
    /// It cannot be used; a sentence says why.
    case degraded
  }

  case state(State, sentence: String?, accessoryCount: Int64)
  /// A device that was removed from an app and not allowed since: by its address, or the name of its network.
  case removed(app: String, item: String, device: String)
  /// An identifier that an app had for the device with this address.
  case former(app: String, bluetoothIdentifier: String, device: String)
  /// A bond with the device of this address that bluetoothd is to remove as soon as it can.
  case unpairing(device: String)

  public func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .state(let state, let sentence, let accessoryCount):
      json.member("state", state.rawValue)
      json.member("sentence", sentence)
      json.member("accessories", accessoryCount)
    case .removed(let app, let item, let device):
      json.object("removed") { json in
        json.member("app", app)
        json.member("item", item)
        json.member("device", device)
      }
    case .former(let app, let bluetoothIdentifier, let device):
      json.object("former") { json in
        json.member("app", app)
        json.member("bluetoothIdentifier", bluetoothIdentifier)
        json.member("device", device)
      }
    case .unpairing(let device): json.object("unpairing") { json in json.member("device", device) }
    }
  }
}

extension RegistryLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    if let removed = try line.objectIfPresent("removed") {
      self = .removed(
        app: try removed.string("app"), item: try removed.string("item"), device: try removed.string("device")
      )
    } else if let former = try line.objectIfPresent("former") {
      self = .former(
        app: try former.string("app"), bluetoothIdentifier: try former.string("bluetoothIdentifier"),
        device: try former.string("device"))
    } else if let unpairing = try line.objectIfPresent("unpairing") {
      self = .unpairing(device: try unpairing.string("device"))
    } else {
      self = .state(
        try line.value("state", of: State.allCases, \.rawValue),
        sentence: try line.stringIfPresent("sentence"),
        accessoryCount: try line.integer("accessories"))
    }
  }

  /// Nil when the object is empty: the last reply of the method.
  public init?(ifAny line: JSONObjectReader) throws(JSONMemberError) {
    guard ["state", "removed", "former", "unpairing"].contains(where: { line.valueIfPresent($0) != nil })
    else {
      return nil
    }
    try self.init(reading: line)
  }
}
