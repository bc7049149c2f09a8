// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SessionClient

/// The sessions of this process take turns with their calls, so that they need few connections to an agent between them.
enum CallTurns {
  private struct Turn {
    let lane: CallLane
    let owner: ObjectIdentifier
    let link: SessionLinkID
    let begin: @Sendable () -> Void
  }

  /// For each socket, whose turn it is in each lane, and after them who waits.
  private static let turns = Locked<[String: [Turn]]>([:])

  /// Calls `begin` once it is the link's turn, at once or on another session's queue.
  static func await(
    _ lane: CallLane, at path: String, _ owner: AnyObject, _ link: SessionLinkID,
    begin: @escaping @Sendable () -> Void
  ) {
    let hasPlace = turns.withLock { turns in
      turns[path, default: []].append(
        Turn(lane: lane, owner: ObjectIdentifier(owner), link: link, begin: begin))
      return (turns[path] ?? []).count { $0.lane == lane } <= lane.linksMax
    }
    if hasPlace { begin() }
  }

  /// Ends the link's turn, or its wait. A link of no lane has neither.
  static func end(at path: String, _ owner: AnyObject, _ link: SessionLinkID) {
    let next = turns.withLock { turns -> Turn? in
      guard let all = turns[path],
        let index = all.firstIndex(where: { $0.owner == ObjectIdentifier(owner) && $0.link == link })
      else { return nil }
      turns[path]?.remove(at: index)
      if all.count == 1 { turns[path] = nil }
      let lane = all[index].lane
      let line = all.indices.filter { all[$0].lane == lane }
      // The first one behind those whose turn it is.
      guard line.count > lane.linksMax, index < line[lane.linksMax] else { return nil }
      return all[line[lane.linksMax]]
    }
    next?.begin()
  }
}
