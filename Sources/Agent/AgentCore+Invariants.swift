// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Manifest
import Setup
import Varlink

extension AgentCore {
  /// Traps when a bound is passed or tables disagree; for tests, which ask after every step.
  public func checkInvariants() {
    dataPath.pipeline.checkInvariants()
    clients.checkInvariants()
    setupCore.checkInvariants()
    precondition(tap == nil || activityCount { if case .capture = $0 { true } else { false } } > 0)
    precondition(listener == nil || activityCount { if case .suggestion = $0 { true } else { false } } > 0)
  }
}

extension ClientTable {
  fileprivate func checkInvariants() {
    precondition(places.count { $0 != nil } == count, "clients are counted as they come and go")
    for (place, client) in places.enumerated() {
      guard let client else { continue }
      precondition(self.place(of: client.id) == place, "a client is found by its id")
      precondition(client.connection.sendableByteCount <= client.connection.limits.outputBytesMax)
      precondition(client.connection.receivableByteCount <= client.connection.limits.frameBytesMax + 1)
    }
  }
}
