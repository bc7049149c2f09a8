// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// The folder of what the agent remembers: the registry's file.
struct StateFolder: Equatable, Sendable {
  static let usual = "/var/lib/accessoryd"

  let path: String

  /// What the command line names, or the service manager made (`STATE_DIRECTORY`, systemd.exec(5): several are parted
  /// by colons), or the usual one.
  init(named option: String?, given: String?) {
    let first = given?.split(separator: ":").first.map(String.init)
    path = option ?? first ?? Self.usual
  }

  var registry: String { path + "/registry.sqlite" }

  /// Makes the folder, in one that is there, for the agent's account alone.
  func make() throws(SystemError) { try DurableFile.makeFolder(path) }
}
