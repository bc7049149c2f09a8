// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// The lines of all values of a text, by key path.
package struct PositionIndex {
  private var lines: [ManifestKeyPath: Int] = [:]

  package init(_ root: TomlNode) { add(root, at: ManifestKeyPath()) }

  /// Returns the line of a key, or of the nearest enclosing table in the text.
  package func line(of path: ManifestKeyPath) -> Int {
    var place: ManifestKeyPath? = path
    while let current = place {
      if let line = lines[current] { return line }
      place = current.parent
    }
    return 1
  }

  /// The path under the key that the text uses: rules speak of a name's substring, where the text may have a prefix.
  package func written(_ path: ManifestKeyPath) -> ManifestKeyPath {
    guard path.components.last == .key(DescriptorKey.nameSubstring.rawValue), lines[path] == nil,
      let prefix = path.parent?.appending(DescriptorKey.namePrefix), lines[prefix] != nil
    else { return path }
    return prefix
  }

  private mutating func add(_ node: TomlNode, at path: ManifestKeyPath) {
    lines[path] = node.line
    switch node.value {
    case .table(let entries):
      for entry in entries { add(entry.node, at: path.appending(entry.key)) }
    case .array(let nodes):
      for (index, element) in nodes.enumerated() { add(element, at: path.appending(index: index)) }
    case .string, .integer, .float, .boolean, .date: break
    }
  }
}
