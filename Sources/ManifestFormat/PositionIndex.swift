// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// The lines of all values of a text, by key path. They are looked up in the tree, because only diagnostics ask for
/// them.
package struct PositionIndex {
  private let root: TomlNode

  package init(_ root: TomlNode) { self.root = root }

  /// Returns the line of a key, or of the nearest enclosing table in the text.
  package func line(of path: ManifestKeyPath) -> Int {
    var node = root
    for component in path.components {
      guard let child = node.child(component) else { break }
      node = child
    }
    return node.line
  }

  /// The path under the key that the text uses: rules speak of a name's substring, where the text may have a prefix.
  package func written(_ path: ManifestKeyPath) -> ManifestKeyPath {
    guard path.components.last == .key(DescriptorKey.nameSubstring.rawValue), !contains(path),
      let prefix = path.parent?.appending(DescriptorKey.namePrefix), contains(prefix)
    else { return path }
    return prefix
  }

  private func contains(_ path: ManifestKeyPath) -> Bool {
    var node: TomlNode? = root
    for component in path.components { node = node?.child(component) }
    return node != nil
  }
}

extension TomlNode {
  fileprivate func child(_ component: ManifestKeyPath.Component) -> TomlNode? {
    switch (component, value) {
    case (.key(let key), .table(let entries)): entries.first { $0.key == key }?.node
    case (.index(let index), .array(let elements)):
      elements.indices.contains(index) ? elements[index] : nil
    default: nil
    }
  }
}
