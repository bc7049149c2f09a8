// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat
import ToolText

/// The board profiles that the agent finds, and the one that is likely this machine's.
struct BoardList {
  /// In alphabetical order.
  let names: [String]
  private let model: BoardModel

  private static func folders(manifestPath: String) -> [String] {
    let slash = manifestPath.lastIndex(of: "/")
    let folder = slash.map { String(manifestPath[..<$0]) } ?? "."
    return ["\(folder)/board", "\(folder)/../Board", "/usr/share/accessoryd/board"]
  }

  /// The profile of a board, as the agent finds it; nil when there is none that can be read.
  static func profile(named name: String, manifestPath: String) -> BoardProfile? {
    guard let reading = reading(named: name, manifestPath: manifestPath) else {
      return name == BoardProfile.unmeasuredName ? BoardProfile(name: name) : nil
    }
    return reading.value
  }

  /// The file with the profile of a board; nil when there is none that can be read.
  static func reading(named name: String, manifestPath: String) -> Reading<BoardProfile>? {
    for folder in folders(manifestPath: manifestPath) {
      let path = "\(folder)/\(name).toml"
      guard let contents = try? FileContents(reading: path, byteCountMax: TomlDocument.byteCountMax) else {
        continue
      }
      return BoardProfileReader.read(text: contents.bytes, fileName: path)
    }
    return nil
  }

  init(manifestPath: String) {
    let model = (try? FileContents(reading: "/proc/device-tree/model", byteCountMax: 256))?.bytes ?? []
    self.init(
      folders: Self.folders(manifestPath: manifestPath),
      model: String(decoding: model, as: UTF8.self))
  }

  /// `model` is what the machine's firmware calls the board; empty where it has no such name.
  init(folders: [String], model: String) {
    let files = folders.flatMap { (try? FolderContents.names(in: $0)) ?? [] }
    let profiles = files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
    names = Set(profiles + [BoardProfile.unmeasuredName]).sorted()
    self.model = BoardModel(model)
  }

  /// The profile to propose in place of the one that the manifest names.
  func proposal(inPlaceOf name: String, _ profile: BoardProfile?, isUSB: Bool) -> String {
    model.proposal(inPlaceOf: name, profile, among: names, isUSB: isUSB)
  }

  /// Whether this machine has any profile.
  var hasProfiles: Bool { names != [BoardProfile.unmeasuredName] }

  /// Why a board cannot be used; nil when there is a profile.
  func refusal(of board: String) -> String? {
    guard !names.contains(board) else { return nil }
    let near = KeywordSuggestion.nearNames(to: board, among: names).first.map { "; did you mean \($0)?" }
    return
      "there is no profile of the board \(quoted(board))\(near ?? "; there are: \(names.joined(separator: ", "))")"
  }
}
