// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// A descriptor that goes from hand to hand, closed with the last of them.
final class SharedDescriptor: Sendable {
  let descriptor: Descriptor
  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
