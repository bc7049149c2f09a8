// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// How many descriptors the agent may have open.
enum DescriptorLimit {
  /// Our own: standard streams, epoll, alarm, signals, wakers, listener, lock, manager, radio, files.
  private static let ownCount = 32

  /// Raises the limit to what so many connections need. Answers what there is to say when it stays too low: who
  /// connects then waits until somebody leaves.
  static func raise(connections: Int) -> String? {
    let wanted = connections + ownCount
    do throws(SystemError) {
      let limit = try ThisProcess.raiseDescriptorLimit(to: wanted)
      guard limit < wanted else { return nil }
      return
        "only \(limit) descriptors may be open, too few for \(connections) connections; raise LimitNOFILE"
    } catch {
      return "the limit of open descriptors is unknown: \(error.sentence)"
    }
  }
}
