// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import ManifestFormat
import ToolText

/// Which app of which manifest gets a suggested item.
struct ManifestEditOptions: ParsableArguments {
  private static let installed = "/etc/accessoryd/accessoryd.toml"

  @Option(
    help: ArgumentHelp("Show what to add to the manifest for this app.", valueName: "name"),
    completion: Completions.apps)
  var app: String?

  @Option(
    help: ArgumentHelp("The manifest that gets the item. (default: \(installed))", valueName: "file"),
    completion: .file())
  var manifest: String?

  @Flag(help: "Add it to the manifest. (with --app)")
  var add = false

  func validate() throws {
    guard app == nil else { return }
    if add { throw ValidationError("--add needs --app: name the app that gets the item") }
    if manifest != nil { throw ValidationError("--manifest needs --app: name the app that gets the item") }
  }

  /// Prints the section of an app, and with `--add` adds it to the manifest.
  func apply(section: String, ofApp app: String) throws(ToolError) {
    var printer = Printer()
    try printer.text(section)
    try printer.flush()
    guard add else { return }
    let file = try ConfigurationFile(reading: manifest ?? Self.installed)
    try file.replace(with: try file.adding(section: section, ofApp: app))
    StandardError.say("\(shown(file.path)) has the app now; accessoryctl reload makes the agent read it")
  }

  /// Prints what the item changes in the manifest, and with `--add` changes it.
  func apply(_ suggestions: [SuggestionLine], to app: String) throws(ToolError) {
    guard let suggestion = suggestions.first, suggestions.count == 1 else {
      throw .sentence(
        "\(suggestions.count) devices have this address, of different types; without --app there is an item for each",
        .dataError)
    }
    let file = try ConfigurationFile(reading: manifest ?? Self.installed)
    let result = try file.adding(suggestion.toml, to: app)
    for warning in result.warnings { StandardError.write(warning.text(inFile: file.path) + "\n") }
    var printer = Printer()
    try printer.text(file.difference(to: result.text).text(printer.style))
    try printer.flush()
    guard add else { return }
    try file.replace(with: result.text)
    StandardError.say("\(shown(file.path)) has the item now; accessoryctl reload makes the agent read it")
  }
}

extension ConfigurationFile {
  /// The manifest with one more item.
  func adding(_ suggestion: String, to app: String) throws(ToolError) -> ManifestAddition.Result {
    _ = try manifest()
    do throws(ManifestAdditionError) {
      return try ManifestAddition.add(Array(suggestion.utf8), to: app, of: text, fileName: path)
    } catch {
      throw error.toolError(ofApp: app, path: path)
    }
  }

  func difference(to text: [UInt8]) -> TextDifference {
    TextDifference(
      from: String(decoding: self.text, as: UTF8.self), to: String(decoding: text, as: UTF8.self),
      name: shown(path))
  }

  func replace(with text: [UInt8]) throws(ToolError) {
    do throws(SystemError) { try FileReplacement.write(text, to: path) } catch {
      throw Self.writeError(error, path)
    }
  }

  static func writeError(_ error: SystemError, _ path: String) -> ToolError {
    let cure =
      error.isPermission
      ? "run it as the owner of the file, and see that it is not read-only" : "the file stays as it was"
    return .sentence(
      "cannot write \(quoted(path)): \(error.reason); \(cure)",
      error.isPermission ? .noPermission : .cannotCreate)
  }
}

extension ManifestAdditionError {
  /// What is wrong with the manifest goes to standard error before.
  func toolError(ofApp app: String, path: String) -> ToolError {
    switch self {
    case .unknownApp(let known):
      let names = known.isEmpty ? "it has none" : "name one of: \(known.joined(separator: ", "))"
      return .sentence("\(shown(path)) has no app \(quoted(app)); \(names)", .usage)
    case .known(let item):
      return .sentence(
        "\(shown(path)) has item \(quoted(item)), which asks for the same; nothing was added", .no)
    case .unusualLayout:
      let key = ManifestAddition.key(app)
      return .sentence(
        "\(shown(path)) has no table [app.\(key)] that [[app.\(key).item]] can be added to; add by hand what "
          + "accessoryctl suggest prints without --app", .dataError)
    case .brokenItem:
      return .sentence(
        "the agent's suggestion is no manifest with an item; is it of another version?", .protocolError)
    case .brokenManifest(let diagnostics), .refused(let diagnostics):
      for diagnostic in diagnostics { StandardError.write(diagnostic.text(inFile: path) + "\n") }
      return .sentence(
        "\(shown(path)) was not changed: with the item it would have the mistakes above", .dataError)
    }
  }
}
