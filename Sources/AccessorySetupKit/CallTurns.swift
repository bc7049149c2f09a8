// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SessionClient

/// The sessions of this process take turns with short calls, so that they need one connection to an agent between them.
enum CallTurns {
  private struct Turn {
    let owner: ObjectIdentifier
    let link: SessionLinkID
    let begin: @Sendable () -> Void
  }

  /// For each socket, whose turn it is, and who waits.
  private static let turns = Locked<[String: [Turn]]>([:])

  /// Calls `begin` once it is the link's turn, at once or on another session's queue.
  static func await(
    at path: String, _ owner: AnyObject, _ link: SessionLinkID, begin: @escaping @Sendable () -> Void
  ) {
    let isFirst = turns.withLock { turns in
      turns[path, default: []].append(Turn(owner: ObjectIdentifier(owner), link: link, begin: begin))
      return turns[path]?.count == 1
    }
    if isFirst { begin() }
  }

  /// Ends the link's turn, or its wait. A link that takes no turns has neither.
  static func end(at path: String, _ owner: AnyObject, _ link: SessionLinkID) {
    let next = turns.withLock { turns -> Turn? in
      guard let all = turns[path],
        let index = all.firstIndex(where: { $0.owner == ObjectIdentifier(owner) && $0.link == link })
      else { return nil }
      turns[path]?.remove(at: index)
      if all.count == 1 { turns[path] = nil }
      return index == 0 ? turns[path]?.first : nil
    }
    next?.begin()
  }
}
