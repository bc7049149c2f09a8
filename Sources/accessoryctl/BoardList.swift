// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat
import ToolText

/// The board profiles that the agent finds, and the one that is likely this machine's.
struct BoardList {
  private let boards: BoardNames
  private let model: BoardModel

  /// In alphabetical order.
  var names: [String] { boards.all }

  /// The profile of a board, as the agent finds it; nil when there is none that can be read.
  static func profile(named name: String, manifestPath: String) -> BoardProfile? {
    guard let reading = reading(named: name, manifestPath: manifestPath) else {
      return name == BoardProfile.unmeasuredName ? BoardProfile(name: name) : nil
    }
    return reading.value
  }

  /// The file with the profile of a board; nil when there is none that can be read.
  static func reading(named name: String, manifestPath: String) -> Reading<BoardProfile>? {
    for folder in BoardNames.folders(manifestPath: manifestPath) {
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
    boards = Self.boards(manifestPath: manifestPath)
    self.model = BoardModel(String(decoding: model, as: UTF8.self))
  }

  static func boards(manifestPath: String) -> BoardNames {
    BoardNames(manifestPath: manifestPath) { (try? FolderContents.names(in: $0)) ?? [] }
  }

  /// The profile to propose in place of the one that the manifest names.
  func proposal(inPlaceOf name: String, _ profile: BoardProfile?, isUSB: Bool) -> String {
    model.proposal(inPlaceOf: name, profile, among: names, isUSB: isUSB)
  }

  /// Why a board cannot be used; nil when there is a profile.
  func refusal(of board: String) -> String? { boards.refusal(of: board) }
}
