// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import Varlink

extension Parameters {
  /// A token, or an accessory's or a request's identifier: 32 hexadecimal digits of any case. Nil for anything else,
  /// which is answered exactly like one that nobody has.
  func identifier(_ name: String) -> RandomIdentifier? {
    guard let text = try? string(name) else { return nil }
    return RandomIdentifier(text: text)
  }
}
