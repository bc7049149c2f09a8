// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import Manifest
import ManifestFormat

/// A TOML file that only a trusted account can write, read into memory.
struct TrustedFile {
  /// The purpose of the file.
  enum Role: String, Sendable {
    case manifest
    case identityKeys = "identity keys"
    case board = "board profile"
  }

  let role: Role
  let path: String
  private let text: [UInt8]

  /// Reads a file; nil if there is none. A file that other accounts may write is refused.
  static func find(_ role: Role, _ path: String) throws(StartError) -> TrustedFile? {
    do throws(StartError) { return try TrustedFile(role, path) } catch {
      if error.isMissingFile { return nil }
      throw error
    }
  }

  init(_ role: Role, _ path: String) throws(StartError) {
    (self.role, self.path) = (role, path)
    let contents: FileContents
    do throws(FileError) {
      contents = try FileContents(ofFile: path, byteCountMax: TomlDocument.byteCountMax)
    } catch {
      throw .file(role, path: path, error)
    }
    let protection = role == .identityKeys ? FileProtection.ownerReads : .ownerWrites
    let facts = FileFacts(mode: contents.mode, owner: contents.owner)
    if let error = protection.error(for: facts, owners: [0, ThisProcess.user]) {
      throw .protection(role, path: path, error)
    }
    text = contents.bytes
  }

  /// The manifest, and warnings as lines.
  func manifest() throws(StartError) -> (value: GatewayManifest, warnings: [String]) {
    let reading = ManifestReader.read(text: text, fileName: path, accounts: .system)
    return (try value(of: reading), lines(of: reading))
  }

  func identityKeys() throws(StartError) -> [IdentityKey] {
    try value(of: IdentityKeysReader.read(text: text, fileName: path))
  }

  func boardProfile() throws(StartError) -> BoardProfile {
    try value(of: BoardProfileReader.read(text: text, fileName: path))
  }

  private func value<Value>(of reading: Reading<Value>) throws(StartError) -> Value {
    if let value = reading.value { return value }
    let errorCount = reading.diagnostics.count { $0.severity == .error }
    throw .content(role, path: path, lines: lines(of: reading), errorCount: errorCount)
  }

  private func lines<Value>(of reading: Reading<Value>) -> [String] {
    reading.diagnostics.map { $0.line(inFile: shown(path)) }
  }
}
