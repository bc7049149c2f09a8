// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import LinuxSystem
import ManifestFormat

/// A manifest on disk.
enum ManifestFile {
  static let byteCountMax = 1 << 20

  static func read(_ path: String) throws(Failure) -> ManifestReading {
    do throws(FileError) {
      let text = try FileContents.read(path, byteCountMax: byteCountMax)
      return ManifestReader.read(text: text, fileName: path, accounts: .system)
    } catch {
      throw .file(path: path, error)
    }
  }
}

extension AccountDirectory {
  /// The accounts of this machine.
  static let system = AccountDirectory { account in
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
