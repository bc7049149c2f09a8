// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import HCI
import Interfaces
import JSON
import Registry
import RegistryFormat
import RegistrySupport
import Testing
import Varlink

@testable import Agent
@testable import Setup

/// Who may write the keys of bonds, whatever the method.
@Suite("Keys of bonds are written by a pairing, root or the agent's account")
struct KeyRightsTests {
  enum Actor: CaseIterable {
    case root, agent, group

    func connect(to harness: AgentHarness) -> HarnessClient? {
      switch self {
      case .root: harness.connect(user: 0)
      case .agent: harness.connect(user: 990)
      case .group: harness.connect(user: 1234, groups: [50])
      }
    }
  }

  private static let imports = [
    Bond.bonded(Rows.bond(9)), .bonded(Rows.foreignBond), .lost(Rows.bond(9)), .none,
  ]
  .flatMap { [(bond: $0, includesKeys: true), (bond: $0, includesKeys: false)] }

  /// Calls of a method, with other keys than those that are stored where it takes any.
  private func parameters(of method: OperatorMethodName, _ bench: BondedBench) -> [String] {
    let accessory = #""accessory":"\#(bench.accessory)""#
    let request = #""request":"\#(bench.anna.request)""#
    switch method {
    case .watch, .list, .registry, .reset: return [""]
    case .export: return [#""includesKeys":true"#, ""]
    case .choose: return [request + #","candidate":1"#]
    case .deny, .cancel, .agree, .answerPairing: return [request]
    case .name: return [request + #","name":"Lamp""#]
    case .open: return [#""app":"lights""#]
    case .rename: return [accessory + #","name":"Lamp""#]
    case .remove, .disconnect, .pair, .replace: return [accessory]
    case .allow: return [#""app":"lights","device":"C0:00:00:00:00:01""#]
    case .authorize: return [#""app":"lights""#]
    case .import:
      return Self.imports.map { lines(of: bench.harness.registry, with: $0.bond, $0.includesKeys) }
    case .importBond:
      let key =
        #"{"kind":3,"isCentral":false,"byteCount":16,"diversifier":0,"random":"0000000000000000","value":"#
      return [
        #""device":"C0:00:00:00:00:01","addressType":"random","owner":"gateway","longTermKeys":[\#(key)"#
          + "\"\(Hex(Rows.key(9).bytes).text)\"}]"
      ]
    }
  }

  private func lines(of file: StandInRegistryFile, with bond: Bond, _ includesKeys: Bool) -> String {
    var file = file
    file.setBonds(bond)
    let lines = RegistryExport(file.saved, includesKeys: includesKeys).map(\.debugDescription)
    return #""begins":true,"commits":true,"lines":[\#(lines.joined(separator: ","))]"#
  }

  /// The bonds after a call.
  private func bonds(
    after method: OperatorMethodName, _ number: Int, by actor: Actor, from bond: Bond = .bonded(Rows.bond())
  ) throws -> [Bond] {
    let bench = BondedBench(bond)
    if parameters(of: method, bench)[number].contains("request") {
      bench.app.call("ShowPicker", wait: 1)
      try #require(!bench.anna.request.isEmpty)
    }
    let client = try #require(actor.connect(to: bench.harness))
    let parameters = parameters(of: method, bench)[number]
    let message = Message.text(method.rawValue, parameters, more: method.replies == .many)
    bench.harness.send(message, by: client)
    bench.scenario.run(seconds: 1)
    return bench.harness.registry.saved.devices.map(\.bond)
  }

  @Test(
    "Of the operators' methods, imports by root or the agent's account alone change keys; a reset removes them",
    arguments: Actor.allCases)
  func methods(_ actor: Actor) throws {
    for method in OperatorMethodName.allCases {
      for number in parameters(of: method, BondedBench(.bonded(Rows.bond()))).indices {
        // Another app has the device that is removed, too; and a good bond is not replaced.
        var expected = [Bond.bonded(Rows.bond())]
        if method == .reset { expected = [] }
        // A row without long term keys keeps those that are stored.
        if method == .import, actor != .group, [0, 4].contains(number) {
          expected = [Self.imports[number].bond]
        }
        #expect(try bonds(after: method, number, by: actor) == expected, "\(method) \(number)")
      }
    }
  }

  @Test("No method that asks about the gateway changes a key", arguments: Actor.allCases)
  func questions(_ actor: Actor) throws {
    for method in GatewayMethodName.allCases {
      let bench = BondedBench(.bonded(Rows.bond()))
      let client = try #require(actor.connect(to: bench.harness))
      bench.harness.send(Message.text(method.rawValue, "", more: method.replies == .many), by: client)
      bench.scenario.run(seconds: 1)
      #expect(bench.harness.registry.saved.devices.map(\.bond) == [.bonded(Rows.bond())], "\(method)")
    }
  }

  @Test(
    "Whatever asks for it, a change that brings keys for a client that may not handle them is not written")
  func changes() {
    var queue = RegistryQueue()
    _ = queue.open() + queue.receive(.opened(AccessoryRegistry()))
    func result(_ kind: ChangePurpose.CallKind) -> ChangeResult? {
      let change = RegistryChange.setBond(RandomIdentifier(high: 1, low: 1), .bonded(Rows.bond()))
      guard case .settled(_, let result)? = queue.enqueue(.apply(change), .call(CallID(1), kind)).first else {
        return nil
      }
      return result
    }
    guard case .failed("the client may not handle the keys of bonds")? = result(.operator) else {
      Issue.record("an operator's change brings keys")
      return
    }
    // The registry has no such accessory.
    guard case .refused? = result(.keyHolder) else {
      Issue.record("a change of one who may handle keys is looked at")
      return
    }
  }

  @Test("Root and the agent's account may bring keys", arguments: [Actor.root, .agent])
  func holders(_ actor: Actor) throws {
    #expect(try bonds(after: .import, 0, by: actor) == [.bonded(Rows.bond(9))])
    // A good bond is not replaced.
    let imported = try bonds(after: .importBond, 0, by: actor, from: .lost(Rows.bond()))
    #expect(imported.first?.record?.keys.longTermKeys.map(\.value) == [Rows.key(9)])
  }

  @Test("An import without keys keeps the keys that are stored", arguments: Actor.allCases)
  func keeps(_ actor: Actor) throws {
    #expect(try bonds(after: .import, 1, by: actor) == [.bonded(Rows.bond())])
    #expect(try bonds(after: .import, 7, by: actor) == [.bonded(Rows.bond())])
  }

  @Test(
    "An import that lacks a device with keys is refused to the group, and not to root",
    arguments: Actor.allCases)
  func lacksDevice(_ actor: Actor) throws {
    let bench = BondedBench(.bonded(Rows.bond()))
    let client = try #require(actor.connect(to: bench.harness))
    let lines = RegistryExport(AccessoryRegistry(), includesKeys: false).map(\.debugDescription)
    let parameters = #""begins":true,"commits":true,"lines":[\#(lines.joined(separator: ","))]"#
    bench.harness.send(Message.text(OperatorMethodName.import.rawValue, parameters, more: false), by: client)
    bench.scenario.run(seconds: 1)
    let isRefused = client.replies.last?.text("sentence")?.contains("whose keys would be lost") ?? false
    #expect(isRefused == (actor == .group))
    #expect(bench.harness.registry.saved.devices.isEmpty != isRefused)
  }

  @Test("Each import is logged with its user and counts")
  func logged() throws {
    let bench = BondedBench(.bonded(Rows.bond()))
    let client = try #require(Actor.group.connect(to: bench.harness))
    bench.harness.send(
      Message.text(OperatorMethodName.import.rawValue, parameters(of: .import, bench)[1], more: false),
      by: client)
    bench.scenario.run(seconds: 1)
    #expect(bench.harness.notices.contains(.setup(.registryImported(user: 1234, accessories: 2, keyed: 0))))
  }

  @Test("An import is logged although its client has hung up meanwhile")
  func loggedWithoutClient() throws {
    let bench = BondedBench(.bonded(Rows.bond()))
    let client = try #require(Actor.group.connect(to: bench.harness))
    bench.harness.send(
      Message.text(OperatorMethodName.import.rawValue, parameters(of: .import, bench)[1], more: false),
      by: client)
    bench.harness.hangUp(client)
    bench.scenario.run(seconds: 1)
    #expect(bench.harness.notices.contains(.setup(.registryImported(user: 1234, accessories: 2, keyed: 0))))
  }

  @Test("An import that is refused is not logged as one")
  func refusedIsNotLogged() throws {
    let bench = BondedBench(.bonded(Rows.bond()))
    let client = try #require(Actor.group.connect(to: bench.harness))
    let lines = RegistryExport(AccessoryRegistry(), includesKeys: false).map(\.debugDescription)
    let parameters = #""begins":true,"commits":true,"lines":[\#(lines.joined(separator: ","))]"#
    bench.harness.send(Message.text(OperatorMethodName.import.rawValue, parameters, more: false), by: client)
    bench.scenario.run(seconds: 1)
    #expect(client.replies.last?.error != nil)
    #expect(
      !bench.harness.notices.contains { if case .setup(.registryImported) = $0 { true } else { false } })
  }

  @Test("Each removal is logged with its user", arguments: [OperatorMethodName.remove, .reset])
  func removalIsLogged(_ method: OperatorMethodName) throws {
    let bench = BondedBench(.bonded(Rows.bond()))
    let client = try #require(Actor.group.connect(to: bench.harness))
    bench.harness.send(
      Message.text(method.rawValue, parameters(of: method, bench)[0], more: false), by: client)
    let notice =
      method == .reset
      ? Notice.registryReset(user: 1234) : .accessoryRemoved(user: 1234, bench.accessory)
    #expect(bench.harness.notices.contains(notice))
  }

  @Test("Only root and the agent's account bring removals of bluetoothd's bonds", arguments: Actor.allCases)
  func removals(_ actor: Actor) throws {
    let bench = BondedBench(.bonded(Rows.bond()))
    let client = try #require(actor.connect(to: bench.harness))
    var saved = bench.harness.registry.saved
    _ = try saved.apply(.addBondRemoval(Rows.address(9)))
    let lines = RegistryExport(saved, includesKeys: false).map(\.debugDescription)
    bench.harness.send(
      Message.text(
        OperatorMethodName.import.rawValue,
        #""begins":true,"commits":true,"lines":[\#(lines.joined(separator: ","))]"#, more: false),
      by: client)
    bench.scenario.run(seconds: 1)
    #expect(
      bench.harness.registry.saved.bondRemovals.map(\.address) == (actor == .group ? [] : [Rows.address(9)]))
  }

  @Test("The group brings no bond of bluetoothd, not even a lost one, whose removal would end it there")
  func lostBonds() throws {
    let bench = BondedBench(.none)
    let client = try #require(Actor.group.connect(to: bench.harness))
    let lines = lines(of: bench.harness.registry, with: .lost(Rows.foreignBond), false)
    bench.harness.send(Message.text(OperatorMethodName.import.rawValue, lines, more: false), by: client)
    bench.scenario.run(seconds: 1)
    #expect(bench.harness.registry.saved.devices.map(\.bond) == [.none])
  }
}
