// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// A client's descriptor and what it is watched for.
final class ClientSocket {
  let descriptor: Descriptor
  let token: UInt64
  var watchedFor: Readiness
  /// It will send nothing more.
  var hasEnded = false

  init(_ descriptor: consuming Descriptor, token: UInt64, watchedFor: Readiness) {
    self.descriptor = descriptor
    self.token = token
    self.watchedFor = watchedFor
  }
}
