// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import JSON
import Manifest
import Setup
import Varlink

/// The `items` of ShowPicker: `ASPickerDisplayItem`, or the id of an item in the manifest.
///
/// Capacity: ``countRange`` items, whose texts take ``textBytesMax`` bytes in a message to operators; more are
/// refused. What AccessorySetupKit crashes the app for is refused, with the field named.
enum ItemFields {
  static let countRange = 1...32
  /// A request goes to operators in one message, beside much else; escapes can make six bytes of one.
  static let textBytesMax = 16 << 10
  /// Ids that a refusal lists.
  private static let listedMax = 16
  private static let nameBytes = 1...248
  private static let imageBytes = 1...255

  /// Reads them; their types were checked against the interface. Items that the app supplies get ids from `call:N` on,
  /// N being `firstNumber`. What an item migrates may be gone or there already: such an item is left out, with the reason,
  /// unless no item is left.
  static func read(
    _ value: JSONValue, of app: App, firstNumber: UInt64, _ migrated: MigrationFields.Search
  ) throws(SetupError) -> (items: [PickerItem], leftOut: [SetupError]) {
    let elements = if case .array(let elements) = value { elements } else { [JSONValue]() }
    guard countRange.contains(elements.count) else {
      throw SetupError(
        .invalidRequest, field: "items", "there are \(elements.count) items",
        cure:
          "give \(countRange.lowerBound) to \(countRange.upperBound), or leave items out for the manifest's"
      )
    }
    var (items, leftOut): ([PickerItem], [SetupError]) = ([], [])
    for (index, element) in elements.enumerated() {
      guard case .object(let object) = element else { continue }
      let fields = JSONObjectReader(object, at: "items[\(index)]")
      if let id = fields.checkedString("item") {
        items.append(try known(id, fields, of: app, after: items))
      } else {
        items.append(try appSupplied(fields, of: app, id: "call:\(firstNumber + UInt64(index))"))
      }
      items[items.count - 1].index = index
      switch try MigrationFields.read(fields, after: items, migrated) {
      case nil: break
      case .success(let device)?:
        try MigrationFields.check(device, of: items[items.count - 1], fields)
        items[items.count - 1].migration = device
      case .failure(let reason)?:
        leftOut.append(reason)
        items.removeLast()
      }
    }
    if items.isEmpty, let reason = leftOut.first { throw reason }
    try checkLength(of: items)
    return (items, leftOut)
  }

  /// An item of the manifest.
  private static func known(
    _ id: String, _ fields: JSONObjectReader, of app: App, after others: [PickerItem]
  ) throws(SetupError) -> PickerItem {
    let isMigration = fields.checkedObject("migrate") != nil
    if let other = fields.names.first(where: { $0 != "item" && $0 != "migrate" }) {
      throw fields.failure(
        other, "a manifest item cannot be overridden in a call",
        cure: "leave \(other) out, or leave item out and give a name and a descriptor")
    }
    guard let item = app.items.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
      throw fields.failure(
        "item", "the app has no item \(id.quotedForDisplay) in the manifest", cure: cure(listing: app))
    }
    guard item.selection != .observe else {
      throw fields.failure(
        "item", "\(id.quotedForDisplay) is only observed and never set up",
        cure: "change its select in the manifest, or use another item")
    }
    let isRepeated = others.contains { $0.item.id == item.id && $0.migration == nil }
    guard isMigration || !isRepeated else {
      throw fields.failure("item", "\(id.quotedForDisplay) is there already", cure: "give each item once")
    }
    return PickerItem(item)
  }

  private static func cure(listing app: App) -> String {
    let ids = app.items.filter { $0.selection != .observe }.map(\.id)
    guard !ids.isEmpty else { return "add it to the manifest, or give a name and a descriptor" }
    let listed = ids.prefix(listedMax).map(\.quotedForDisplay).joined(separator: ", ")
    let rest = ids.count > listedMax ? " or \(ids.count - listedMax) others" : ""
    return "use one of \(listed)\(rest)"
  }

  /// An item that the app supplies in its call.
  private static func appSupplied(
    _ fields: JSONObjectReader, of app: App, id: String
  ) throws(SetupError) -> PickerItem {
    guard fields.checkedString("name") != nil else {
      throw fields.failure(
        "name", "an item needs a name that operators see",
        cure: "add name, or give only the id of an item in the manifest")
    }
    guard let descriptor = fields.checkedObject("descriptor") else {
      throw fields.failure(
        "descriptor", "nothing says what to look for",
        cure: "add descriptor, or give only the id of an item in the manifest")
    }
    _ = try fields.bytes(ofText: "name", in: nameBytes)
    _ = try fields.bytes(ofText: "productImage", in: imageBytes)
    var item = DisplayItem(id: id, name: fields.checkedString("name") ?? "")
    item.productImage = fields.checkedString("productImage")
    item.descriptor = try DescriptorFields.read(descriptor, at: fields.path(of: "descriptor"))
    item.gate.isImmediate = item.descriptor.range == .immediate
    item.setupOptions = try fields.setupOptions() ?? []
    item.renameOptions = try fields.renameOptions() ?? []
    try DescriptorFields.check(item.descriptor, of: app, at: fields.path(of: "descriptor"))
    return PickerItem(item, isAppSupplied: true)
  }

  private static func checkLength(of items: [PickerItem]) throws(SetupError) {
    var json = JSONWriter()
    for (index, item) in items.enumerated() where item.isAppSupplied {
      json.line { json in
        json.member("name", item.item.name)
        json.member("productImage", item.item.productImage)
        json.member("ssidPrefix", item.item.descriptor.ssidPrefix.map { String(decoding: $0, as: UTF8.self) })
      }
      guard json.bytes.count <= textBytesMax else {
        throw SetupError(
          .invalidRequest, field: "items[\(item.index ?? index)]",
          "the names and images of these items are too long together",
          cure: "shorten them, or use fewer characters that have to be escaped")
      }
    }
  }
}

extension JSONObjectReader {
  /// `setupOptions`, of an item and of a device that a filtered picker shows.
  func setupOptions() throws(SetupError) -> SetupOptions? {
    try options(
      "setupOptions", among: [.rename, .confirmAuthorization, .finishInApp],
      named: "rename 1, confirmAuthorization 2 and finishInApp 4")
  }

  /// `renameOptions`, of an item, of a device that a filtered picker shows, and of RenameAccessory.
  func renameOptions() throws(SetupError) -> RenameOptions? {
    try options("renameOptions", among: RenameOptions.ssid, named: "ssid 1, or 0")
  }

  /// Bits that are all known; nil when the field is absent or null.
  func options<Options: OptionSet>(
    _ name: String, among known: Options, named words: String
  ) throws(SetupError) -> Options? where Options.RawValue == UInt {
    guard let value: UInt = try number(name, in: 0...UInt(UInt32.max)) else { return nil }
    guard value & ~known.rawValue == 0 else {
      throw failure(name, "there are no such options", cure: "use \(words)")
    }
    return Options(rawValue: value)
  }
}

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

/// The `settings` of ShowPicker: `ASPickerDisplaySettings`.
enum SettingsFields {
  /// Reads them; without any, they are as AccessorySetupKit's.
  static func read(_ value: JSONValue?) throws(SetupError) -> PickerSettings {
    var settings = PickerSettings()
    guard case .object(let object)? = value else { return settings }
    let fields = JSONObjectReader(object, at: "settings")
    if let text = fields.checkedString("discoveryTimeout") {
      guard let timeout = PickerSettings.DiscoveryTimeout(text: text) else {
        throw fields.failure(
          "discoveryTimeout", DiscoveryTimeout.textReason,
          cure: DiscoveryTimeout.textCure)
      }
      settings.discoveryTimeout = timeout
    }
    settings.options =
      try fields.options(
        "options", among: PickerSettings.Options.filterDiscoveryResults,
        named: "filterDiscoveryResults 1, or 0") ?? []
    return settings
  }
}

extension PickerSettings.DiscoveryTimeout {
  /// As calls write it; nil for anything else.
  init?(text: String) {
    guard let timeout = DiscoveryTimeout(text: text) else { return nil }
    switch timeout {
    case .short: self = .short
    case .medium: self = .medium
    case .long: self = .long
    case .unbounded: self = .unbounded
    case .seconds(let seconds): self = .seconds(seconds)
    }
  }
}
