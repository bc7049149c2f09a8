// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Manifest

/// A device by its address, of whichever type.
struct DeviceArgument: ExpressibleByArgument {
  /// The low 48 bits.
  let bits: UInt64
  let text: String

  init?(argument: String) {
    guard let bits = AddressText.bits(argument) else { return nil }
    self.bits = bits
    text = argument.uppercased()
  }
}
