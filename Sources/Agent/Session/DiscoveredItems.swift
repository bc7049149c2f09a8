// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Setup
import Varlink

/// `items` of UpdatePicker.
enum DiscoveredItems {
  private static let countMax = 256
  private static let nameBytes = 1...248
  private static let imageBytes = 1...255

  static func read(_ parameters: Parameters) throws(SetupError) -> [ShownCandidate] {
    guard case .array(let elements)? = parameters["items"] else { return [] }
    guard elements.count <= countMax else {
      throw SetupError(
        .invalidRequest, field: "items", "there are \(elements.count) items", cure: "show at most \(countMax)"
      )
    }
    var items: [ShownCandidate] = []
    for (index, element) in elements.enumerated() {
      guard case .object(let object) = element else { continue }
      let fields = JSONObjectReader(object, at: "items[\(index)]")
      items.append(try read(fields))
    }
    return items
  }

  private static func read(_ fields: JSONObjectReader) throws(SetupError) -> ShownCandidate {
    var item = ShownCandidate(number: try fields.number("discovered", in: 0...UInt32.max) ?? 0)
    _ = try fields.bytes(ofText: "name", in: nameBytes)
    _ = try fields.bytes(ofText: "productImage", in: imageBytes)
    item.name = fields.checkedString("name")
    item.image = fields.checkedString("productImage")
    item.setupOptions = try fields.setupOptions()
    item.renameOptions = try fields.renameOptions()
    item.supportedOptions = try fields.supportedOptions()
    return item
  }
}
