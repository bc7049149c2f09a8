// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Testing

@Suite("Who stands behind an epoll token")
struct EpollRegistryTests {
  private func token<Owner: Sendable>(in watches: inout EpollRegistry<Owner>, for owner: Owner) throws
    -> UInt64
  {
    let token = watches.insert(owner)
    return try #require(token)
  }

  @Test("A token leads to its owner until it is removed")
  func owner() throws {
    var watches = EpollRegistry<String>(capacity: 2)
    let token = try token(in: &watches, for: "radio")
    #expect(watches.owner(of: token) == "radio")
    watches.remove(token)
    #expect(watches.owner(of: token) == nil)
    #expect(watches.staleCount == 1)
  }

  @Test("An old token does not lead to the new owner of its place")
  func generation() throws {
    var watches = EpollRegistry<String>(capacity: 1)
    let old = try token(in: &watches, for: "client that left")
    watches.remove(old)
    let new = try token(in: &watches, for: "client that came")
    #expect(old != new)
    #expect(watches.owner(of: old) == nil)
    #expect(watches.owner(of: new) == "client that came")
    #expect(watches.staleCount == 1)
  }

  @Test("When every place is taken, a newcomer gets none")
  func capacity() throws {
    var watches = EpollRegistry<Int>(capacity: 2)
    let first = try token(in: &watches, for: 1)
    _ = try token(in: &watches, for: 2)
    #expect(watches.insert(3) == nil)
    #expect(watches.count == 2)
    watches.remove(first)
    #expect(watches.insert(3) != nil)
  }

  @Test("What has grown takes more, and leaves old tokens alone")
  func growth() throws {
    var watches = EpollRegistry<Int>(capacity: 1)
    let first = try token(in: &watches, for: 1)
    watches.grow(to: 3)
    watches.grow(to: 2)
    let others = try [token(in: &watches, for: 2), token(in: &watches, for: 3)]
    #expect(watches.insert(4) == nil)
    #expect(([first] + others).map { watches.owner(of: $0) } == [1, 2, 3])
  }

  @Test("A token of no place at all is stale")
  func foreign() {
    var watches = EpollRegistry<Int>(capacity: 2)
    #expect(watches.owner(of: 77) == nil)
    #expect(watches.owner(of: .max) == nil)
    #expect(watches.staleCount == 2)
  }
}
