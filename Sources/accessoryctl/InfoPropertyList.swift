// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import Manifest
import ManifestFormat
import PropertyList

/// The Info.plist of an app, which `suggest --plist` turns into the app's section of a manifest.
struct InfoPropertyList {
  private static let byteCountMax = 1 << 20

  private let path: String
  private let declarations: AppDeclarations

  init(reading path: String) throws(ToolError) {
    self.path = path
    let contents: FileContents
    do throws(FileError) {
      contents = try FileContents(reading: path, byteCountMax: Self.byteCountMax)
    } catch {
      throw .file(path: path, error)
    }
    let list: PropertyList
    do throws(PropertyListError) { list = try PropertyList.read(contents.bytes) } catch {
      throw .sentence("\(quoted(path)): \(error.reason); \(error.cure)", .dataError)
    }
    do throws(AppDeclarationsError) { declarations = try AppDeclarations(list) } catch {
      throw Self.toolError(error, path: path)
    }
  }

  private static func toolError(_ error: AppDeclarationsError, path: String) -> ToolError {
    switch error {
    case .noDictionary:
      return .sentence("\(quoted(path)) is no Info.plist: its top is no dictionary", .dataError)
    case .nothingDeclared(let keys):
      return .sentence(
        "\(quoted(path)) declares nothing for AccessorySetupKit; its keys are \(keys.joined(separator: ", "))",
        .no)
    case .mistakes(let sentences):
      for sentence in sentences { StandardError.write("\(shown(path)): \(sentence)\n") }
      return .reported(.dataError)
    }
  }

  /// The section of an app with this name. One that is no section of a manifest is an error.
  func section(named app: String) throws(ToolError) -> String {
    for warning in declarations.warnings { StandardError.say("warning: \(warning)") }
    guard !declarations.supports.isEmpty else {
      throw .sentence(
        "\(quoted(path)) declares neither Bluetooth nor WiFi; add one of them to NSAccessorySetupSupports",
        .dataError)
    }
    let section = declarations.section(named: app)
    let reading = ManifestReader.read(text: Array("schema = 1\n\(section)".utf8), fileName: path)
    guard reading.value != nil else {
      for diagnostic in reading.diagnostics {
        StandardError.write("\(diagnostic.keyPath): \(diagnostic.message)\n")
      }
      throw .sentence("\(quoted(path)) and --app \(quoted(app)) make no section of a manifest", .dataError)
    }
    return section
  }
}

extension ConfigurationFile {
  /// The manifest with the section of one more app at its end.
  func adding(section: String, ofApp app: String) throws(ToolError) -> [UInt8] {
    if try manifest().apps.contains(where: { $0.name == app }) {
      throw .sentence(
        "\(shown(path)) has the app \(quoted(app)) already; compare its lists with the section", .usage)
    }
    let separator = text.last == UInt8(ascii: "\n") ? "\n" : "\n\n"
    let added = text + Array((separator + section).utf8)
    let reading = ManifestReader.read(text: added, fileName: path)
    guard reading.value != nil else {
      for diagnostic in reading.diagnostics { StandardError.write(diagnostic.text(inFile: path) + "\n") }
      throw .sentence("\(shown(path)) was not changed: it would have the mistakes above", .dataError)
    }
    return added
  }
}
