// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat
import Suggestions
import ToolSystem
import ToolText

/// Which app of which manifest gets a suggested item.
struct ManifestEditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Show what to add to the manifest for this app.", valueName: "name"),
    completion: Completions.apps)
  var app: String?

  @OptionGroup var manifest: ManifestOption

  @OptionGroup var account: AppAccountOptions

  @Flag(help: "Add it to the manifest, with the app if that is new. (with --app)")
  var add = false

  func validate() throws {
    guard app == nil else { return }
    if account.user ?? account.group != nil {
      throw ValidationError("--user and --group need --app: name the app that gets the item")
    }
    if add { throw ValidationError("--add needs --app: name the app that gets the item") }
    if manifest.given != nil {
      throw ValidationError("--manifest needs --app: name the app that gets the item")
    }
  }

  /// Prints the section of an app, and with `--add` adds it to the manifest.
  func apply(section: String, ofApp app: String) throws(ToolError) {
    var printer = Printer()
    try printer.verbatim(section)
    try printer.flush()
    guard add else { return }
    let file = try ConfigurationFile(reading: manifest.path)
    try file.replace(with: try file.adding(section: section, ofApp: app))
    StandardError.say("\(shown(file.path)) has the app now; accessoryctl reload makes the agent read it")
  }

  /// Prints what the item changes in the manifest, and with `--add` changes it.
  func apply(_ suggestions: [Suggestion], to app: String) throws(ToolError) {
    guard let suggestion = suggestions.first, suggestions.count == 1 else {
      throw .sentence(
        "\(suggestions.count) devices have this address, of different types; without --app there is an item for each",
        .dataError)
    }
    let file = try ConfigurationFile(reading: manifest.path)
    if let finding = file.check.boardDiagnostic {
      StandardError.write(finding.text(inFile: file.path) + "\n")
      // The agent would refuse the manifest, with the item or without it.
      if add, finding.severity == .error { throw .reported(.dataError) }
    }
    let owned = try withApp(app, SetupManifest(reading: file.path))
    let result: ManifestAddition.Result
    do throws(ManifestAdditionError) {
      result = try ManifestAddition.add(suggestion.item, to: app, of: owned.text, fileName: file.path)
    } catch {
      throw error.toolError(ofApp: app, path: file.path)
    }
    for warning in result.warnings { StandardError.write(warning.text(inFile: file.path) + "\n") }
    var printer = Printer()
    try printer.verbatim(file.difference(to: result.text).text(printer.style))
    try printer.flush()
    guard add else { return }
    try owned.account?.create()
    do throws(ToolError) { try file.replace(with: result.text) } catch {
      owned.account?.sayThatItStays()
      throw error
    }
    if let user = owned.account?.newUser { StandardError.say("created the account \(shown(user)) (useradd)") }
    StandardError.say("\(shown(file.path)) has the item now; accessoryctl reload makes the agent read it")
  }

  /// The text of the manifest with the app, and the account that the app has if it is new.
  private func withApp(
    _ app: String, _ file: SetupManifest
  ) throws(ToolError) -> (text: [UInt8], account: AppAccount?) {
    let isKnown = file.manifest.apps.contains { $0.name == app }
    if isKnown, account.given == nil { return (file.text, nil) }
    let near = KeywordSuggestion.nearNames(to: app, among: file.manifest.apps.map(\.name))
    if !isKnown, account.given == nil, let near = near.first {
      throw .sentence(
        "\(shown(file.path)) has no app \(quoted(app)); did you mean \(quoted(near))? For a new one name its account "
          + "with --user", .usage)
    }
    let dialogue = SetupDialogue(isTerminal: add && StandardInput.isTerminal && StandardError.isTerminal)
    let owner = try AppAccount(
      of: app, in: file.manifest, account, dialogue, default: app.isAccountName ? app : nil)
    if isKnown { return (file.text, nil) }
    if add, let name = owner.newUser, !Accounts.isRoot {
      throw .sentence(
        "there is no account \(quoted(name)) for the new app; name one that exists with --user, or run this as root, "
          + "which creates it", .noPermission)
    }
    let text = try file.text(settings: [], app: (app, owner.account), supportsNetworks: false)
    return (text, owner)
  }
}

extension ConfigurationFile {
  func difference(to text: [UInt8]) -> TextDifference {
    TextDifference(
      from: String(decoding: self.text, as: UTF8.self), to: String(decoding: text, as: UTF8.self),
      name: shown(path))
  }

  func replace(with text: [UInt8]) throws(ToolError) {
    let isWritten: Bool
    do throws(SystemError) {
      isWritten = try FileReplacement.write(text, to: path, insteadOf: self.text)
    } catch {
      throw Self.writeError(error, path)
    }
    guard isWritten else {
      throw .sentence(
        "\(quoted(path)) has changed since it was read, so nothing was written; run this again",
        .temporaryFailure)
    }
  }

  static func writeError(_ error: SystemError, _ path: String) -> ToolError {
    if error.isLocked {
      return .sentence("another program is changing \(quoted(path)); run this again", .temporaryFailure)
    }
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
      let key = ManifestText.key(app)
      return .sentence(
        "\(shown(path)) has no table [app.\(key)] that [[app.\(key).item]] can be added to; add by hand what "
          + "accessoryctl suggest prints without --app", .dataError)
    case .brokenManifest(let diagnostics), .refused(let diagnostics):
      for diagnostic in diagnostics { StandardError.write(diagnostic.text(inFile: path) + "\n") }
      return .sentence(
        "\(shown(path)) was not changed: with the item it would have the mistakes above", .dataError)
    }
  }
}
