// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistrySupport
import Testing

@Suite("Places that apps share")
struct PlaceShareTests {
  /// As many places as each app gets, one after the other, when it asks for more than there are.
  private func fill(_ apps: [String], appCount: Int, capacity: Int) -> [String: Int] {
    var owners: [String] = []
    for app in apps {
      for _ in 0...capacity
      where PlaceShares.admit(app, among: owners, appCount: appCount, capacity: capacity) {
        owners.append(app)
      }
    }
    return Dictionary(grouping: owners, by: \.self).mapValues(\.count)
  }

  @Test("The first app takes what is no other app's share, and each other one has its own")
  func shares() {
    #expect(fill(["a"], appCount: 1, capacity: 32) == ["a": 32])
    #expect(fill(["a", "b"], appCount: 2, capacity: 32) == ["a": 24, "b": 8])
    #expect(fill(["a", "b", "c", "d"], appCount: 4, capacity: 32) == ["a": 20, "b": 4, "c": 4, "d": 4])
  }

  @Test("Of more apps than half of the places each has one while they reach")
  func many() {
    let apps = (0..<32).map { "app\($0)" }
    #expect(fill(apps, appCount: 32, capacity: 32).values.allSatisfy { $0 == 1 })
    #expect(fill(apps, appCount: 40, capacity: 32).values.reduce(0, +) == 32)
  }

  @Test("An app that is in no manifest takes no share of another")
  func unknown() {
    #expect(fill(["old", "a", "b"], appCount: 2, capacity: 8)["a"] == 2)
  }
}
