// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistrySupport
import Testing

@Suite("Changes of the registry")
struct RegistryChangeTests {
  @Test("The writes of a change turn the rows before into the rows after", arguments: 0..<50)
  func writes(seed: UInt64) throws {
    var registry = AccessoryRegistry()
    var changes = RandomChanges(seed: seed)
    var rows: [RegistryRow] = []
    var made = 0
    for _ in 0..<300 {
      let before = registry
      do throws(RegistryError) {
        let outcome = try registry.apply(changes.next(for: registry))
        for write in outcome.writes { rows.apply(write) }
        made += 1
      } catch {
        #expect(registry == before)
      }
      registry.checkInvariants()
      #expect(try AccessoryRegistry(rows) == registry)
    }
    #expect(made > 50, "only \(made) of 300 changes were made")
  }

  @Test("Every kind of change has a scenario that changes something", arguments: Scenario.all.map(\.name))
  func scenarios(name: String) throws {
    let scenario = try #require(Scenario.all.first { $0.name == name })
    var registry = try scenario.registryBefore()
    #expect(try !registry.apply(scenario.change).writes.isEmpty)
    registry.checkInvariants()
  }

  @Test("Inconsistent rows are refused")
  func violations() throws {
    var registry = try Scenario.all[1].registryBefore()
    try registry.apply(.addBondRemoval(Rows.address(9)))
    let rows = registry.rows
    for index in rows.indices {
      var fewer = rows
      let removed = fewer.remove(at: index)
      // No row depends on these.
      if [.tombstone, .former, .bondRemoval].contains(removed.table) { continue }
      #expect(throws: RegistryConsistencyError.self, "without \(removed)") { try AccessoryRegistry(fewer) }
      #expect(throws: RegistryConsistencyError.repeatedNumber(removed.table, number: removed.number)) {
        try AccessoryRegistry(rows + [removed])
      }
    }
  }
}

extension [RegistryRow] {
  fileprivate mutating func apply(_ write: RegistryWrite) {
    switch write {
    case .put(let row):
      removeAll { $0.table == row.table && $0.number == row.number }
      append(row)
    case .drop(let table, let number): removeAll { $0.table == table && $0.number == number }
    }
  }
}
