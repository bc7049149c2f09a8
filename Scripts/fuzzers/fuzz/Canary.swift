// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Traps on inputs that begin with "canary".
func fuzzCanary(_ bytes: RawSpan) {
  let word = bytes.paddedUInt64(at: 0) & 0xFFFF_FFFF_FFFF
  if word == 0x7972_616E_6163 { fatalError("the canary is dead, and the alarm works") }
}
