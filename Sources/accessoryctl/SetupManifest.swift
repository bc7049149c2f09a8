// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat
import ToolSystem
import ToolText

/// The manifest that `setup` adds to. A file that is missing begins as a minimal manifest.
struct SetupManifest {

  private static let minimal = """
    # The manifest of this gateway, begun by accessoryctl setup. accessoryctl check FILE finds mistakes;
    # accessoryd.toml(5) describes every key.
    schema = 1

    """

  let path: String
  /// nil when there is no file yet.
  private let file: ConfigurationFile?
  var isNew: Bool { file == nil }
  let manifest: GatewayManifest
  let text: [UInt8]

  /// One with mistakes is refused, as `check` prints them.
  init(reading path: String) throws(ToolError) {
    self.path = path
    var file: ConfigurationFile?
    do throws(ToolError) { file = try ConfigurationFile(reading: path) } catch {
      guard case .file(_, .system(let reason)) = error, reason.isMissing else { throw error }
    }
    self.file = file
    text = file?.text ?? Array(Self.minimal.utf8)
    manifest = try file?.manifest() ?? GatewayManifest()
  }

  /// The text with these values in `[gateway]`, with the app, which has no item yet if it is new, and with other sections.
  func text(
    settings: [(key: GatewayKey, value: String)], app: (name: String, account: App.Account),
    supportsNetworks: Bool, sections: [[String]] = []
  ) throws(ToolError) -> [UInt8] {
    var changed = text
    do throws(ManifestAdditionError) { changed = try ManifestSettings.set(settings, in: text) } catch {
      throw .sentence(
        "\(shown(path)) has no table [gateway] that \(settings.map(\.key.rawValue).joined(separator: " and ")) can be "
          + "written to; write it by hand, and leave out the option", .dataError)
    }
    var added = sections
    if manifest.apps.contains(where: { $0.name == app.name }) {
      // A list that cannot be changed stays; then check says that no app looks for networks.
      if supportsNetworks {
        changed = (try? ManifestAddition.declare(.wifi, for: app.name, in: changed)) ?? changed
      }
    } else {
      var new = App(name: app.name, account: app.account)
      new.supports = supportsNetworks ? [.bluetooth, .wifi] : [.bluetooth]
      added.append(new.sectionLines)
    }
    for section in added {
      if changed.last != UInt8(ascii: "\n") { changed.append(UInt8(ascii: "\n")) }
      for line in [""] + section { changed += "\(line)\n".utf8 }
    }
    let reading = ManifestReader.read(text: changed, fileName: path)
    guard reading.manifest != nil else {
      for diagnostic in reading.diagnostics { StandardError.write(diagnostic.text(inFile: path) + "\n") }
      throw .sentence("\(shown(path)) was not changed: it would have the mistakes above", .dataError)
    }
    return changed
  }

  /// An item for an accessory of an app; `text` is nil when the app has such an item already.
  struct Addition {
    let item: String
    let text: [UInt8]?
    let difference: TextDifference?
  }

  /// Throws when the file cannot be written, or when an item of the app has no place in the changed text. `suggestion`
  /// is the item, where that is known already.
  func checkChange(to changed: [UInt8], app: String, suggestion: SuggestedItem?) throws(ToolError) {
    do throws(ManifestAdditionError) {
      if let suggestion {
        _ = try ManifestAddition.add(suggestion, to: app, of: changed, fileName: path)
      } else {
        try ManifestAddition.checkLayout(ofApp: app, in: changed)
      }
    } catch {
      if case .known = error {} else { throw error.toolError(ofApp: app, path: path) }
    }
    do throws(SystemError) { try FileReplacement.check(path) } catch { throw writeError(error) }
  }

  func adding(_ suggestion: SuggestedItem, to app: String) throws(ToolError) -> Addition {
    do throws(ManifestAdditionError) {
      let result = try ManifestAddition.add(suggestion, to: app, of: text, fileName: path)
      for warning in result.warnings { StandardError.write(warning.text(inFile: path) + "\n") }
      let items = ManifestReader.read(text: result.text, fileName: path).manifest?.items ?? []
      let known = Set(manifest.items.filter { $0.app == app }.map(\.item.id))
      let added = items.first { $0.app == app && !known.contains($0.item.id) }
      return Addition(item: added?.item.id ?? "", text: result.text, difference: difference(to: result.text))
    } catch {
      if case .known(let item) = error { return Addition(item: item, text: nil, difference: nil) }
      throw error.toolError(ofApp: app, path: path)
    }
  }

  func difference(to changed: [UInt8]) -> TextDifference {
    TextDifference(
      from: file.map { String(decoding: $0.text, as: UTF8.self) } ?? "",
      to: String(decoding: changed, as: UTF8.self), name: shown(path))
  }

  /// Writes the file, and prints what `check` says about it.
  func replace(with changed: [UInt8]) throws(ToolError) {
    if let file {
      try file.replace(with: changed)
    } else {
      do throws(SystemError) { try FileReplacement.create(changed, at: path) } catch {
        throw writeError(error)
      }
    }
    let check = try ConfigurationFile(reading: path).check
    for diagnostic in check.diagnostics { StandardError.write(diagnostic.text(inFile: path) + "\n") }
  }

  private func writeError(_ error: SystemError) -> ToolError {
    guard isNew else { return ConfigurationFile.writeError(error, path) }
    return .sentence(
      "cannot create \(quoted(path)): \(error.reason); see that its folder is there and may be written",
      .cannotCreate)
  }
}

/// Which manifest a command reads or changes.
struct ManifestOption: ParsableArguments {
  private static let installed = "/etc/accessoryd/accessoryd.toml"

  @Option(
    name: .customLong("manifest"),
    help: ArgumentHelp("The manifest. (default: \(installed))", valueName: "file"), completion: .file())
  var given: String?

  var path: String { given ?? Self.installed }
}
