// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// The lines of all values of a text, by key path. They are looked up in the tree, because only diagnostics ask for
/// them.
package struct PositionIndex {
  private let root: TomlNode
  /// Where the text has what belongs to a path.
  private let misplaced: [ManifestKeyPath: ManifestKeyPath]

  package init(_ root: TomlNode, misplaced: [ManifestKeyPath: ManifestKeyPath] = [:]) {
    (self.root, self.misplaced) = (root, misplaced)
  }

  /// Returns the line of a key, or of the nearest enclosing table in the text.
  package func line(of path: ManifestKeyPath) -> Int {
    var node = root
    for component in path.components {
      guard let child = node.child(component) else { break }
      node = child
    }
    return node.line
  }

  /// The path under the key that the text uses: rules speak of a name's substring, where the text may have a prefix, of
  /// an SSID or its prefix, which may be in hexadecimal, and of the key that a misspelt one stands for.
  package func written(_ path: ManifestKeyPath) -> ManifestKeyPath {
    let place = place(of: path)
    guard case .key(let key)? = path.components.last, let other = Self.otherForms[key], !contains(place),
      let form = path.parent.map({ self.place(of: $0.appending(other)) }), contains(form)
    else { return place }
    return form
  }

  private static let otherForms: [String: DescriptorKey] = [
    DescriptorKey.nameSubstring.rawValue: .namePrefix, DescriptorKey.ssid.rawValue: .ssidHex,
    DescriptorKey.ssidPrefix.rawValue: .ssidPrefixHex,
  ]

  /// The parents of a misplaced path may be misplaced too.
  private func place(of path: ManifestKeyPath) -> ManifestKeyPath {
    if let written = misplaced[path] { return place(of: written) }
    guard !misplaced.isEmpty, let parent = path.parent, let last = path.components.last else { return path }
    return ManifestKeyPath(place(of: parent).components + [last])
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
    case (.key(let key), .table): entry(key)
    case (.index(let index), .array(let elements)):
      elements.indices.contains(index) ? elements[index] : nil
    default: nil
    }
  }
}
