// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import ManifestFormat

/// Reads everything the agent is told by files: the manifest, identity keys, the board's profile, accounts. What the
/// start does once and the *disk* worker for every reload.
struct ConfigurationReader: Sendable {
  let manifestPath: String
  /// The command line's radio.
  let radio: String?

  struct Result: Sendable {
    let configuration: AgentCore.Configuration
    let radioSource: String
    let warnings: [String]
  }

  func read() throws(StartFailure) -> Result {
    let (read, warnings) = try ConfigurationFile(.manifest, manifestPath).manifest()
    var manifest = read
    if let radio, let selection = RadioSelection(text: radio) {
      manifest.gateway.radio = selection
    } else {
      manifest.gateway.radio = manifest.gateway.radio.counting(from: Path.folder(of: manifestPath))
    }
    let identities = try manifest.gateway.identityKeys.map { path throws(StartFailure) in
      try ConfigurationFile(.identityKeys, path).identityKeys()
    }
    let configuration = AgentCore.Configuration(
      manifest, identities: identities ?? [],
      board: try BoardSearch(manifestPath: manifestPath).profile(named: manifest.gateway.board),
      access: AccessList(ofApps: manifest.apps))
    return Result(
      configuration: configuration, radioSource: radio ?? read.gateway.radio.text,
      warnings: warnings + [configuration.uncalibratedTouch].compactMap(\.self))
  }
}

extension AgentCore.Configuration {
  /// What stands in the way of touch, if anything does. A radio that is played or made up has the levels that it has.
  fileprivate var uncalibratedTouch: String? {
    let touches = manifest.items.contains { $0.item.selection == .touch }
    guard touches, board.rssiOffset == nil else { return nil }
    switch manifest.gateway.radio {
    case .any, .index, .address:
      return "items are set up by touch, but nobody has measured how well this board hears: a touch may go "
        + "unnoticed, and what is farther away may pass for one; accessoryctl calibrate finds the rssi-offset for the board's profile"
    case .btsnoop, .h4: return nil
    }
  }
}

/// Names of files, as text.
enum Path {
  /// The folder that a file lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A name that counts from `folder` unless it begins at the root.
  static func counting(_ path: String, from folder: String) -> String {
    path.hasPrefix("/") || folder == "." ? path : folder + "/" + path
  }
}

extension RadioSelection {
  /// The selection with its file's name counted from a folder.
  func counting(from folder: String) -> RadioSelection {
    switch self {
    case .any, .index, .address: self
    case .btsnoop(let path): .btsnoop(Path.counting(path, from: folder))
    case .h4(let path): .h4(Path.counting(path, from: folder))
    }
  }
}

/// Where a board's profile is looked for, in this order: `board/` in the manifest's folder, which is
/// `/etc/accessoryd/board` on an installed gateway; `Board/` beside that folder, which is a checkout's;
/// `/usr/share/accessoryd/board`, which is what the package brings. The first `NAME.toml` is taken.
struct BoardSearch {
  /// The profile of a board that nobody measured: the defaults, which need no file.
  private static let unmeasured = "generic"

  let folders: [String]

  init(manifestPath: String) {
    let folder = Path.folder(of: manifestPath)
    folders = [folder + "/board", folder + "/../Board", "/usr/share/accessoryd/board"]
  }

  func profile(named name: String) throws(StartFailure) -> BoardProfile {
    let paths = folders.map { "\($0)/\(name).toml" }
    for path in paths {
      if let file = try ConfigurationFile.find(.board, path) { return try file.boardProfile() }
    }
    guard name == Self.unmeasured else { throw .noBoard(name, searched: paths) }
    return BoardProfile(name: name)
  }
}
