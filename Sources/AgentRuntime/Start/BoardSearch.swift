// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

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
