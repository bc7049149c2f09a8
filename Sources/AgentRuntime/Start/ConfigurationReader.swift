// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import ManifestFormat

/// Reads the agent's configuration: the manifest, identity keys, the board's profile, accounts. The program reads it
/// once when it starts; the *disk* worker reads it for every reload.
struct ConfigurationReader: Sendable {
  let manifestPath: String
  /// The radio that the command line names.
  let radio: String?

  struct Result: Sendable {
    let configuration: AgentCore.Configuration
    let radioSource: String
    let warnings: [String]
  }

  func read() throws(StartError) -> Result {
    let (read, warnings) = try TrustedFile(.manifest, manifestPath).manifest()
    var manifest = read
    if let radio, let selection = RadioSelection(text: radio) {
      manifest.gateway.radio = selection
    } else {
      manifest.gateway.radio = manifest.gateway.radio.resolved(in: Path.folder(of: manifestPath))
    }
    try requireTouchAccount(manifest.gateway)
    let identities = try manifest.gateway.identityKeys.map { path throws(StartError) in
      try TrustedFile(.identityKeys, path).identityKeys()
    }
    let search = BoardSearch(manifestPath: manifestPath)
    let board = try search.profile(named: manifest.gateway.board)
    let configuration = AgentCore.Configuration(
      manifest, identities: identities ?? [], board: board,
      usb: board.givesWayToUSB ? try search.find(BoardProfile.usbName) : nil,
      access: AccessList(manifest))
    return Result(
      configuration: configuration, radioSource: radio ?? read.gateway.radio.text,
      warnings: warnings + [configuration.uncalibratedTouch].compactMap(\.self))
  }
}

extension ConfigurationReader {
  /// Refuses `on-touch` and `on-request` where the program would run under the agent's own account: it could change the registry and
  /// speak as an operator.
  private func requireTouchAccount(_ gateway: Gateway) throws(StartError) {
    guard let kind = SignalProgramKind.allCases.first(where: { gateway.programs[$0] != nil }),
      !ConfinedProgram.Account.unprivileged().isPossible
    else { return }
    throw .content(
      .manifest, path: manifestPath,
      lines: [
        "\(shown(manifestPath)): gateway.\(kind.rawValue): the agent cannot run the program as the user \"nobody\"; "
          + "copy touch.conf to the unit's folder of drop-ins, or start the agent as root, or remove \(kind.rawValue)"
      ], errorCount: 1)
  }
}

extension AgentCore.Configuration {
  /// A warning if items are set up by touch and the board is not calibrated.
  fileprivate var uncalibratedTouch: String? {
    guard !isAdapterCalibrated, manifest.items.contains(where: { $0.item.selection == .touch }) else {
      return nil
    }
    return
      "items are set up by touch, but this board is not calibrated: a touch may go unnoticed, and a device "
      + "farther away may count as touching; accessoryctl calibrate finds the rssi-offset for the board's profile"
  }
}

/// Paths of files, as text.
enum Path {
  /// The folder that a file lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the path relative to `folder`, unless it is absolute.
  static func resolved(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") || folder == "." ? path : folder + "/" + path
  }
}

extension RadioSelection {
  /// The selection with its file's path relative to a folder.
  func resolved(in folder: String) -> RadioSelection {
    switch self {
    case .any, .index, .address: self
    case .btsnoop(let path): .btsnoop(Path.resolved(path, in: folder))
    case .h4(let path): .h4(Path.resolved(path, in: folder))
    }
  }
}

/// Searches for a board's profile, in this order: `board/` in the manifest's folder, which is
/// `/etc/accessoryd/board` on an installed gateway; `Board/` beside that folder, which is a checkout's;
/// `/usr/share/accessoryd/board`, which the package installs. The first `NAME.toml` counts.
struct BoardSearch {
  let folders: [String]

  init(manifestPath: String) {
    let folder = Path.folder(of: manifestPath)
    folders = [folder + "/board", folder + "/../Board", "/usr/share/accessoryd/board"]
  }

  func profile(named name: String) throws(StartError) -> BoardProfile {
    if let profile = try find(name) { return profile }
    // The defaults need no file.
    guard name == BoardProfile.unmeasuredName else { throw .noBoard(name, searched: paths(of: name)) }
    return BoardProfile(name: name)
  }

  /// Returns the profile of this name; nil when no folder has it.
  func find(_ name: String) throws(StartError) -> BoardProfile? {
    for path in paths(of: name) {
      if let file = try TrustedFile.find(.board, path) { return try file.boardProfile() }
    }
    return nil
  }

  private func paths(of name: String) -> [String] { folders.map { "\($0)/\(name).toml" } }
}
