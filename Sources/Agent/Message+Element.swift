// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import ToolText
import Varlink

extension Message {
  /// One element of a list, which others follow.
  static func element(_ name: String, _ line: some Line) -> [UInt8] {
    reply(continues: true) { $0.object(name) { line.writeMembers(to: &$0) } }
  }
}
