// SPDX-License-Identifier: GPL-3.0-or-later

private import LinuxSystem
public import Manifest

extension AccountDirectory {
  /// The accounts of this machine.
  public static let system = AccountDirectory { account in
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
