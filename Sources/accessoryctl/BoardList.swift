// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import Manifest
import ToolText

/// The board profiles that the agent finds, and the one that is likely this machine's.
struct BoardList {
  /// The profile that needs no file.
  static let unmeasured = "generic"

  /// In alphabetical order.
  let names: [String]
  let likely: String

  init(manifestPath: String) {
    let slash = manifestPath.lastIndex(of: "/")
    let folder = slash.map { String(manifestPath[..<$0]) } ?? "."
    let model = (try? FileContents(reading: "/proc/device-tree/model", byteCountMax: 256))?.bytes ?? []
    self.init(
      folders: ["\(folder)/board", "\(folder)/../Board", "/usr/share/accessoryd/board"],
      model: String(decoding: model, as: UTF8.self))
  }

  /// `model` is what the machine's firmware calls the board; empty where it has no such name.
  init(folders: [String], model: String) {
    let files = folders.flatMap { (try? FolderContents.names(in: $0)) ?? [] }
    let profiles = files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
    names = Set(profiles + [Self.unmeasured]).sorted()
    likely = BoardModel(model).profile(among: names) ?? Self.unmeasured
  }

  /// Why a board cannot be used; nil when there is a profile.
  func refusal(of board: String) -> String? {
    names.contains(board)
      ? nil : "there is no profile of the board \(quoted(board)); there are: \(names.joined(separator: ", "))"
  }
}
