// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc

/// Waits for what another process does and no descriptor reports; returns whether it happened in time.
public func happens(within seconds: Double, _ isDone: () throws -> Bool) rethrows -> Bool {
  let end = Date(timeIntervalSinceNow: seconds)
  while try !isDone() {
    guard Date() < end else { return false }
    _ = poll(nil, 0, 10)
  }
  return true
}
