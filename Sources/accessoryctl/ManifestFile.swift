// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import LinuxSystem
import ManifestFormat

/// A manifest on disk, whole in memory.
struct ManifestFile {
  private static let byteCountMax = 1 << 20

  let path: String
  private let contents: FileContents

  init(reading path: String) throws(Failure) {
    self.path = path
    do throws(FileError) {
      contents = try FileContents(reading: path, byteCountMax: Self.byteCountMax)
    } catch {
      throw .file(path: path, error)
    }
  }

  /// Everything that is wrong with it on this machine.
  var check: ManifestCheck {
    let facts = FileFacts(mode: contents.mode, owner: contents.owner)
    return ManifestCheck(.text(contents.bytes, facts), fileName: path, accounts: .system)
  }

  /// What it says. Accounts are not looked up, so that a recording replays alike on every machine; what is wrong is
  /// said on standard error.
  func manifest() throws(Failure) -> Manifest {
    let reading = ManifestReader.read(text: contents.bytes, fileName: path)
    if let manifest = reading.manifest { return manifest }
    for diagnostic in reading.diagnostics { StandardError.write(diagnostic.text(inFile: path) + "\n") }
    throw .said(.dataError)
  }
}

extension Diagnostic {
  /// The line for people; the file's name is theirs and may be anything.
  func text(inFile path: String) -> String { line(inFile: shown(path)) }
}

extension AccountDirectory {
  /// The accounts of this machine.
  fileprivate static let system = AccountDirectory { account in
    let answer =
      switch account {
      case .user(let name): Accounts.user(named: name)
      case .group(let name): Accounts.group(named: name)
      }
    return switch answer {
    case .known(let id): .known(id: id)
    case .unknown: .unknown
    case .noAnswer: .noAnswer
    }
  }
}
