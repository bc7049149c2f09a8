// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat

/// A whole TOML file in memory: a manifest, identity keys or a board profile.
struct ConfigurationFile {
  let path: String
  private let contents: FileContents
  var text: [UInt8] { contents.bytes }

  init(reading path: String) throws(ToolError) {
    self.path = path
    do throws(FileError) {
      contents = try FileContents(reading: path, byteCountMax: TomlDocument.byteCountMax)
    } catch {
      throw .file(path: path, error)
    }
  }

  /// Everything that is wrong with it as a manifest on this machine.
  var check: ManifestCheck {
    ManifestCheck(
      .text(contents.bytes, facts), fileName: path, accounts: .system,
      board: { BoardList.profile(named: $0, manifestPath: path) },
      boards: BoardList.boards(manifestPath: path))
  }

  /// The manifest; a file that other accounts may write is refused. Accounts are not looked up, so that a recording
  /// replays alike on every machine.
  func manifest() throws(ToolError) -> GatewayManifest {
    try require(.ownerWrites)
    return try value(of: ManifestReader.read(text: contents.bytes, fileName: path))
  }

  /// Keys of devices that change their address; a file that other accounts may read is refused.
  func identityKeys() throws(ToolError) -> [IdentityKey] {
    try require(.ownerReads)
    return try value(of: IdentityKeysReader.read(text: contents.bytes, fileName: path))
  }

  func boardProfile() throws(ToolError) -> BoardProfile {
    try value(of: BoardProfileReader.read(text: contents.bytes, fileName: path))
  }

  /// Why the agent would refuse the file as identity keys, for accounts that may own it.
  var keysProtectionError: FileProtectionError? { FileProtection.ownerReads.error(for: facts) }

  private func require(_ protection: FileProtection) throws(ToolError) {
    guard let error = protection.error(for: facts) else { return }
    throw .sentence("\(shown(path)): \(error.sentence)", error == .notAFile ? .noInput : .noPermission)
  }

  private var facts: FileFacts { FileFacts(mode: contents.mode, owner: contents.owner) }

  /// The value that the file describes; its diagnostics go to standard error.
  private func value<Value>(of reading: Reading<Value>) throws(ToolError) -> Value {
    if let value = reading.value { return value }
    for diagnostic in reading.diagnostics { StandardError.write(diagnostic.text(inFile: path) + "\n") }
    throw .reported(.dataError)
  }
}

extension Diagnostic {
  /// The line for operators; the file's name may hold any character.
  func text(inFile path: String) -> String { line(inFile: shown(path)) }
}
