// SPDX-License-Identifier: GPL-3.0-or-later

/// The location of a value in a manifest: `app.lights.item[0].descriptor`.
public struct ManifestKeyPath: Hashable, Sendable {
  /// One level of a path.
  public enum Component: Hashable, Sendable {
    /// Into a table.
    case key(String)
    /// Into an array, counted from 0.
    case index(Int)
  }

  public let components: [Component]

  public init(_ components: [Component] = []) { self.components = components }

  /// Returns the path of a key in the table at this path.
  public func appending(_ key: String) -> ManifestKeyPath { ManifestKeyPath(components + [.key(key)]) }

  /// Returns the path of a key in the table at this path.
  public func appending(_ key: some ManifestKey) -> ManifestKeyPath { appending(key.rawValue) }

  /// Returns the path of an element of the array at this path.
  public func appending(index: Int) -> ManifestKeyPath { ManifestKeyPath(components + [.index(index)]) }

  /// The path of the enclosing table or array; nil for the whole manifest.
  public var parent: ManifestKeyPath? {
    components.isEmpty ? nil : ManifestKeyPath(Array(components.dropLast()))
  }
}

extension ManifestKeyPath: CustomStringConvertible {
  public var description: String {
    components.reduce(into: "") { text, component in
      switch component {
      case .index(let index): text += "[\(index)]"
      case .key(let key): text += (text.isEmpty ? "" : ".") + (key.isBareKey ? key : key.quotedForDisplay)
      }
    }
  }
}

extension String {
  /// Whether TOML accepts the key without quotes.
  package var isBareKey: Bool {
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

  /// At most 64 characters of the text, in quotes and safe on a terminal.
  public var quotedForDisplay: String { "\"\(escapedForDisplay(scalarCountMax: 64))\"" }

  /// Returns the text truncated, with controls, line breaks, and invisible or direction-changing characters escaped.
  public func escapedForDisplay(scalarCountMax: Int) -> String {
    let shown = unicodeScalars.prefix(scalarCountMax).map { $0.isInvisible ? $0.escape : String($0) }.joined()
    return unicodeScalars.count > scalarCountMax ? shown + "…" : shown
  }
}
