// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// The name that a machine's firmware has for its board, such as "Raspberry Pi 4 Model B Rev 1.2". It tells which board
/// profile is likely the machine's; an operator confirms that, because an adapter may be plugged in that is better than
/// the board's own.
public struct BoardModel: Equatable, Sendable {
  /// Letters and digits of its words in lower case, without "Model".
  private let compact: String

  /// Reads the name.
  ///
  /// `text` is the content of `/proc/device-tree/model`, which ends with a NUL; empty on a machine without one.
  public init(_ text: String) {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    compact = words.filter { $0 != "model" }.joined()
  }

  /// Returns the profile to propose for an adapter in place of the one with this name, which stays if it fits. On USB that
  /// of USB adapters fits, whatever the board.
  public func proposal(
    inPlaceOf name: String, _ profile: BoardProfile?, among names: [String], isUSB: Bool
  ) -> String {
    if isUSB, names.contains(BoardProfile.usbName) {
      return profile?.givesWayToUSB == false ? name : BoardProfile.usbName
    }
    return name == BoardProfile.unmeasuredName ? self.profile(among: names) ?? name : name
  }

  /// Returns the board profile whose name the model begins with, the longest of several: `raspberry-pi-3b-plus` for
  /// "Raspberry Pi 3 Model B Plus Rev 1.3". nil when there is none.
  ///
  /// A name is compared by its letters and digits, without regard to case, so that dashes do not count. The longest one
  /// is the most exact: a profile for one variant of a board is better than that of the board.
  public func profile(among names: [String]) -> String? {
    let fitting = names.filter { name in
      let profile = name.lowercased().filter { $0.isLetter || $0.isNumber }
      return !profile.isEmpty && compact.hasPrefix(profile)
    }
    return fitting.max { $0.utf8.count < $1.utf8.count }
  }
}
