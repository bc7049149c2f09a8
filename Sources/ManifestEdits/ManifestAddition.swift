// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import ManifestFormat

/// Why an item cannot be added to a manifest.
public enum ManifestAdditionError: Error, Equatable, Sendable {
  /// The manifest has errors already.
  case brokenManifest([Diagnostic])
  case unknownApp(known: [String])
  /// The app has an item that asks for the same.
  case known(item: String)
  /// The app's table has no header `[app.NAME]`, its items have no headers `[[app.NAME.item]]`, or a list of it is no
  /// list on its own line.
  case unusualLayout
  /// With the item the manifest would have these errors.
  case refused([Diagnostic])
}

/// Adds an item to the text of a manifest. Comments, order and everything else in the text stay as they are.
///
/// What the item asks for is declared in the app's lists: `supports`, companies, services, names.
public struct ManifestAddition {
  /// A manifest with an item more.
  public struct Result: Equatable, Sendable {
    public let text: [UInt8]
    /// The warnings that the item causes.
    public let warnings: [Diagnostic]
  }

  private let text: [UInt8]
  private let statements: [TomlStatement]
  private let app: App
  private let lineBreak: [UInt8]
  private var insertions: [(offset: Int, bytes: [UInt8])] = []

  /// Adds an item to the app `name` of a manifest, and what it asks for to the app's lists.
  public static func add(
    _ suggestion: SuggestedItem, to name: String, of text: [UInt8], fileName: String
  ) throws(ManifestAdditionError) -> Result {
    let before = ManifestReader.read(text: text, fileName: fileName)
    guard let manifest = before.manifest else { throw .brokenManifest(before.diagnostics) }
    guard let app = manifest.apps.first(where: { $0.name == name }) else {
      throw .unknownApp(known: manifest.apps.map(\.name))
    }
    if let known = app.items.first(where: { $0.descriptor == suggestion.descriptor }) {
      throw .known(item: known.id)
    }
    var addition = ManifestAddition(text: text, app: app)
    try addition.checkLayout()
    try addition.declare(suggestion.app)
    try addition.insert(suggestion)
    let result = addition.result
    let after = ManifestReader.read(text: result, fileName: fileName)
    guard let changed = after.manifest else { throw .refused(after.diagnostics) }
    guard changed.items.count == manifest.items.count + 1, changed.gateway == manifest.gateway else {
      throw .unusualLayout
    }
    let known = Set(before.diagnostics.map(\.message))
    return Result(text: result, warnings: after.diagnostics.filter { !known.contains($0.message) })
  }

  /// Throws where no item can be added to the app `name` of a manifest, whatever it asks for.
  public static func checkLayout(
    ofApp name: String, in text: [UInt8]
  ) throws(ManifestAdditionError) {
    let reading = ManifestReader.read(text: text, fileName: "")
    guard let manifest = reading.manifest else { throw .brokenManifest(reading.diagnostics) }
    guard let app = manifest.apps.first(where: { $0.name == name }) else {
      throw .unknownApp(known: manifest.apps.map(\.name))
    }
    try ManifestAddition(text: text, app: app).checkLayout()
  }

  /// Returns the text with a technology more in what an app supports.
  public static func declare(
    _ technology: App.Technology, for name: String, in text: [UInt8]
  ) throws(ManifestAdditionError) -> [UInt8] {
    let before = ManifestReader.read(text: text, fileName: "")
    guard let manifest = before.manifest else { throw .brokenManifest(before.diagnostics) }
    guard let app = manifest.apps.first(where: { $0.name == name }) else {
      throw .unknownApp(known: manifest.apps.map(\.name))
    }
    guard !app.supports.contains(technology) else { return text }
    var addition = ManifestAddition(text: text, app: app)
    try addition.declare(technology.rawValue, in: .supports)
    return addition.result
  }

  private init(text: [UInt8], app: App) {
    self.text = text
    self.app = app
    lineBreak = Array((text.contains(0x0D) ? "\r\n" : "\n").utf8)
    statements = TomlStatement.all(in: text)
  }

  /// An inline list or table of items cannot get one more.
  private func checkLayout() throws(ManifestAdditionError) {
    let headers = statements.filter(isOfApp)
    let itemCount = headers.count { $0.headerPath(in: text) == ["app", app.name, AppKey.item.rawValue] }
    let hasList = (try? ownStatements)?.contains { $0.key(in: text) == AppKey.item.rawValue } ?? false
    guard !headers.isEmpty, itemCount == app.items.count, !hasList else { throw .unusualLayout }
  }

  private var result: [UInt8] {
    var result: [UInt8] = []
    var offset = 0
    // Two insertions at one offset keep their order.
    let ordered = insertions.enumerated().sorted {
      ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
    }
    for insertion in ordered.map(\.element) {
      result += text[offset..<insertion.offset] + insertion.bytes
      offset = insertion.offset
    }
    return result + text[offset...]
  }

  /// Adds what the app does not declare yet to its lists.
  private mutating func declare(_ source: App) throws(ManifestAdditionError) {
    for technology in App.Technology.allCases
    where source.supports.contains(technology) && !app.supports.contains(technology) {
      try declare(technology.rawValue, in: .supports)
    }
    for company in source.companyIdentifiers.subtracting(app.companyIdentifiers) {
      try declare(Hex.company(company), in: .companyIdentifiers)
    }
    for service in source.services.subtracting(app.services) {
      try declare(IdentifierText.text(of: service), in: .services)
    }
    for name in source.names.subtracting(app.names) {
      try declare(String(decoding: name, as: UTF8.self), in: .names)
    }
  }

  private mutating func declare(_ value: String, in key: AppKey) throws(ManifestAdditionError) {
    let quoted = Array(ManifestText.quoted(value).utf8)
    let table = try ownStatements
    guard let statement = table.first(where: { $0.key(in: text) == key.rawValue }) else {
      guard let last = table.last else { throw .unusualLayout }
      return insertLines(["\(key.rawValue) = [\(ManifestText.quoted(value))]"], at: last.end)
    }
    guard let list = statement.list else { throw .unusualLayout }
    let hasComma = text[list.elementsEnd - 1] == UInt8(ascii: ",")
    let isEmpty = list.elementsEnd == list.open + 1
    let rest = text[list.elementsEnd..<list.close]
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")), !isEmpty else {
      let separator = isEmpty ? "" : hasComma ? " " : ", "
      return insertions.append((list.elementsEnd, Array(separator.utf8) + quoted))
    }
    if !hasComma { insertions.append((list.elementsEnd, [UInt8(ascii: ",")])) }
    let line = text[..<(list.elementsEnd - 1)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let indent =
      line > list.open ? Array(text[line...].prefix { $0 == 0x20 || $0 == 0x09 }) : Array("  ".utf8)
    insertions.append((end + 1, indent + quoted + (hasComma ? [UInt8(ascii: ",")] : []) + lineBreak))
  }

  /// The item's table comes after everything else of the app.
  private mutating func insert(_ item: SuggestedItem) throws(ManifestAdditionError) {
    let taken = Set(app.items.map(\.id))
    let id = item.name.slug
    let free = taken.contains(id) ? (2...).lazy.map { "\(id)-\($0)" }.first { !taken.contains($0) } : nil
    guard let last = statements.lastIndex(where: { isOfApp($0) }) else { throw .unusualLayout }
    let end = statements[(last + 1)...].firstIndex { $0.isHeader } ?? statements.endIndex
    let place = statements[last..<end].lastIndex { $0.isMeaningful }.map { self.end(of: $0, before: end) }
    insertLines([""] + item.itemLines(of: app.name, id: free), at: place ?? text.count)
  }

  /// Where a statement ends with the comments right after it, such as keys that are commented out. Comments right
  /// before the statement at `next` are that one's.
  private func end(of statement: Int, before next: Int) -> Int {
    let comments = statements[(statement + 1)..<next].prefix { $0.first == UInt8(ascii: "#") }
    guard comments.endIndex < next || next == statements.endIndex else { return statements[statement].end }
    return comments.last?.end ?? statements[statement].end
  }

  private mutating func insertLines(_ lines: [String], at offset: Int) {
    var bytes = lines.flatMap { Array($0.utf8) + lineBreak }
    if offset > 0, text[offset - 1] != UInt8(ascii: "\n") { bytes = lineBreak + bytes }
    insertions.append((offset, bytes))
  }

  /// The header of the app's own table and the statements under it.
  private var ownStatements: ArraySlice<TomlStatement> {
    get throws(ManifestAdditionError) {
      guard let header = statements.firstIndex(where: { $0.headerPath(in: text) == ["app", app.name] }) else {
        throw .unusualLayout
      }
      let end = statements[(header + 1)...].firstIndex { $0.isHeader } ?? statements.endIndex
      let last = statements[header..<end].lastIndex { $0.isMeaningful } ?? header
      return statements[header...last]
    }
  }

  private func isOfApp(_ statement: TomlStatement) -> Bool {
    statement.headerPath(in: text)?.starts(with: ["app", app.name]) ?? false
  }
}
