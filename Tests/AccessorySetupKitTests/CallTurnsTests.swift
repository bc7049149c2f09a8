// SPDX-License-Identifier: Apache-2.0

@testable import SessionClient
import Testing

@testable import AccessorySetupKit

@Suite struct CallTurnsTests {
  /// A session of the process.
  private final class Owner: Sendable {}

  @Test func `sessions share the turns of a lane, and each link that ends begins the next`() {
    let path = "turns", owners = [Owner(), Owner()]
    let begun = Locked<[UInt64]>([])
    var links: [SessionLinkID] = []
    for number in 0..<UInt64(CallLane.long.linksMax + 3) {
      links.append(SessionLinkID(number: number))
      CallTurns.await(.long, at: path, owners[Int(number % 2)], links[Int(number)]) {
        begun.withLock { $0.append(number) }
      }
    }
    #expect(begun.withLock { $0 } == Array(0..<8))
    // Another lane does not wait for this one.
    let short = SessionLinkID(number: 100)
    CallTurns.await(.short, at: path, owners[0], short) { begun.withLock { $0.append(100) } }
    #expect(begun.withLock { $0.last } == 100)
    // One that waits gives up; one that had its turn ends.
    CallTurns.end(at: path, owners[0], links[8])
    #expect(begun.withLock { $0.last } == 100)
    CallTurns.end(at: path, owners[1], links[3])
    #expect(begun.withLock { $0.last } == 9)
    CallTurns.end(at: path, owners[0], short)
    for (number, link) in links.enumerated() { CallTurns.end(at: path, owners[number % 2], link) }
    #expect(begun.withLock { $0.sorted() } == [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 100])
  }
}
