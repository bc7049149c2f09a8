// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Setup
import Varlink

/// `UpdatePicker`: the discovered accessories that a filtered picker shows.
enum UpdatePickerMethod: SessionMethod {
  static let name = SessionMethodName.updatePicker

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    let (failure, effects) = try call.agent.setupCore.updatePicker(
      session, showing: try DiscoveredItems.read(call.parameters))
    call.agent.follow(effects)
    if let failure { throw failure }
    return .done
  }
}

/// `items` of UpdatePicker.
enum DiscoveredItems {
  private static let countMax = 256
  private static let nameBytes = 1...248
  private static let imageBytes = 1...255

  static func read(
    _ parameters: Parameters
  ) throws(SetupError) -> [(number: UInt32, name: String?, image: String?)] {
    guard case .array(let elements)? = parameters["items"] else { return [] }
    guard elements.count <= countMax else {
      throw SetupError(
        .invalidRequest, field: "items", "there are \(elements.count) items", cure: "show at most \(countMax)"
      )
    }
    var items: [(number: UInt32, name: String?, image: String?)] = []
    for (index, element) in elements.enumerated() {
      guard case .object(let object) = element else { continue }
      let fields = JSONObjectReader(object, at: "items[\(index)]")
      let number: UInt32 = try fields.number("discovered", in: 0...UInt32.max) ?? 0
      _ = try fields.bytes(ofText: "name", in: nameBytes)
      _ = try fields.bytes(ofText: "productImage", in: imageBytes)
      items.append((number, fields.checkedString("name"), fields.checkedString("productImage")))
    }
    return items
  }
}
