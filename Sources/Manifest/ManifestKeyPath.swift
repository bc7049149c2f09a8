// SPDX-License-Identifier: GPL-3.0-or-later

/// Where something stands in a manifest: `app.lights.item[0].descriptor`.
public struct ManifestKeyPath: Hashable, Sendable {
  /// A step down.
  public enum Component: Hashable, Sendable {
    /// Into a table.
    case key(String)
    /// Into an array, counted from 0.
    case index(Int)
  }

  public let components: [Component]

  public init(_ components: [Component] = []) { self.components = components }

  /// The path of a key in the table that stands here.
  public func appending(_ key: String) -> ManifestKeyPath { ManifestKeyPath(components + [.key(key)]) }

  /// The path of a key in the table that stands here.
  public func appending(_ key: some ManifestKey) -> ManifestKeyPath { appending(key.rawValue) }

  /// The path of an element of the array that stands here.
  public func appending(index: Int) -> ManifestKeyPath { ManifestKeyPath(components + [.index(index)]) }

  /// The table or array that this is in; nil for the whole manifest.
  public var parent: ManifestKeyPath? {
    components.isEmpty ? nil : ManifestKeyPath(Array(components.dropLast()))
  }
}

extension ManifestKeyPath: CustomStringConvertible {
  public var description: String {
    components.reduce(into: "") { text, component in
      switch component {
      case .index(let index): text += "[\(index)]"
      case .key(let key): text += (text.isEmpty ? "" : ".") + (key.isBareKey ? key : key.quotedForPeople)
      }
    }
  }
}

extension String {
  /// Whether TOML lets the key stand without quotes.
  fileprivate var isBareKey: Bool {
    !isEmpty && utf8.count <= 64
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
