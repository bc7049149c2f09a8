// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
import Controller
import HCI
import Interfaces
import JSON
import Manifest
import Pairing
import Registry
import RegistrySupport
import Setup
import Testing
import Varlink

@testable import Agent

@Suite("Connections to accessories with a bond")
struct BondConnectionScenarios {
  @Test("The link is encrypted with the keys of the bond, to the identity, whatever address is on the air")
  func encrypted() throws {
    let bench = BondedBench()
    let call = bench.connect()
    let target = try #require(bench.harness.openLinks.first?.target)
    #expect(target.address == BondedBench.identity && target.isBonded)
    #expect(target.security == LinkSecurity(level: .medium, keyByteCount: 16))
    bench.opens()
    #expect(call.replies.map(\.error) == [nil])
  }

  @Test("Keys that are authenticated are demanded where the bond has them")
  func authenticated() throws {
    let bench = BondedBench(.bonded(Rows.bond())) { $0.apps[0].items[0].pairing = .authenticated }
    _ = bench.connect()
    #expect(bench.harness.openLinks.map(\.target.security.level) == [.high])
  }

  @Test(
    "Where the manifest demands authenticated keys, a device without them is not connected",
    arguments: [Bond.none, .bonded(Rows.bond(isAuthenticated: false))])
  func notAuthenticated(bond: Bond) throws {
    // The demand of another app with the device counts too.
    let bench = BondedBench(bond) { $0.apps[1].items[0].pairing = .authenticated }
    let failure = bench.failure(bench.connect())
    #expect(failure.error == "InvalidRequest" && failure.field == "accessory.isBondAuthenticated")
    #expect(bench.harness.openLinks.isEmpty)
    let accessories = bench.anna.call("List").replies.compactMap { $0.object("accessory") }
    #expect(accessories.map { $0["lacksAuthenticatedBond"] } == [.bool(true), .bool(true)])
    // The accessory whose item demands it is named, once.
    let problems = try #require(bench.scenario.status()).objects("problems")
    let garden = try #require(accessories.last?.text("identifier"))
    #expect(problems.map { $0.text("kind") } == ["bondNotAuthenticated"])
    #expect(problems.last?.text("sentence")?.contains("accessoryctl remove \(garden)") == true)
  }

  @Test(
    "A reload that begins to demand authenticated keys ends the connections without them, and attempts",
    arguments: [true, false], [true, false])
  func reload(isAuthenticated: Bool, opens: Bool) throws {
    let bench = BondedBench(.bonded(Rows.bond(isAuthenticated: isAuthenticated)))
    let call = bench.connect()
    if opens {
      bench.opens()
      bench.harness.kernel?.links = [BondedBench.identity]
    }
    bench.reload { $0.apps[1].items[0].pairing = .authenticated }
    let notice = bench.harness.notices.compactMap { if case .link(let notice) = $0 { notice } else { nil } }
      .last
    let identifier = try #require(RandomIdentifier(text: bench.accessory))
    switch (isAuthenticated, opens) {
    case (true, true): #expect(notice == .connected(app: "lights", identifier))
    case (true, false): #expect(bench.harness.openLinks.count == 1 && call.replies.isEmpty)
    case (false, true):
      #expect(bench.harness.kernel?.links == [])
      #expect(notice == .ended(app: "lights", identifier, .unauthenticated, seconds: 0))
    case (false, false):
      #expect(bench.failure(call).field == "accessory.isBondAuthenticated")
      #expect(bench.harness.openLinks.isEmpty)
    }
  }

  @Test("A demand that is met is no problem, and neither is one that pairing again can meet")
  func isAuthenticated() {
    for bond in [Bond.bonded(Rows.bond()), .lost(Rows.bond(isAuthenticated: false))] {
      let bench = BondedBench(bond) { $0.apps[0].items[0].pairing = .authenticated }
      let accessories = bench.anna.call("List").replies.compactMap { $0.object("accessory") }
      #expect(accessories.map { $0["lacksAuthenticatedBond"] } == [nil, nil])
      #expect(!bench.problems.contains("bondNotAuthenticated"))
    }
  }

  @Test("The list says what to know before a device is paired again, whose bond is lost")
  func noteOfLostBond() {
    let record = Rows.bond(isAuthenticated: false)
    for (bond, note) in [(Bond.lost(record), PairingError.radioIsSimulated.note), (.bonded(record), nil)] {
      let bench = BondedBench(bond, hasAdapter: false)
      let accessories = bench.anna.call("List").replies.compactMap { $0.object("accessory") }
      #expect(accessories.map { $0.text("pairingNote") } == [note, note])
    }
  }

  @Test("Keys have to be as long as those that the kernel reported when bluetoothd made the bond")
  func foreignKeySize() throws {
    let bench = KernelPairingBench(.justWorks, runsBluetoothd: true)
    let (adapter, bulb) = ("/org/bluez/hci\(ModelKernel.index)", KernelPairingBench.bulb)
    let (device, address) = (adapter + "/dev_C0_00_00_00_00_01", bench.harness.agent.radio.shared.address)
    let key = MgmtKey(
      bulb,
      LongTermKey(
        kind: 2, central: 0, byteCount: 12, diversifier: 0, random: 0,
        value: try #require(KeyValue([UInt8](1...16)))))
    bench.chooses()
    var count = 0
    while count < bench.harness.busCalls.count {
      let call = bench.harness.busCalls[count]
      count += 1
      switch call.method {
      case .listObjects:
        bench.harness.agent.receive(
          .adapter(path: adapter, .init(addressBits: address, addressType: .public)), at: bench.harness.now)
        bench.harness.agent.receive(
          .device(
            path: device,
            .init(addressBits: bulb.bits, addressType: .random, adapter: adapter, isPaired: false)),
          at: bench.harness.now)
      case .pair:
        bench.harness.pairingKernel?.emit(.bond(.longTermKey(key, isToBeKept: true)), bench.harness.now)
        bench.scenario.run(seconds: 0.1)
      default: break
      }
      bench.harness.agent.receive(.reply(to: call.number, nil), at: bench.harness.now)
      bench.harness.turn()
    }
    bench.scenario.run(seconds: 1)
    var record = Rows.foreignBond
    record.foreignKeyByteCount = 12
    #expect(bench.bonds.map(\.bond) == [.bonded(record)])
    // The next run of the agent has it from the registry.
    let next = BondedBench(.bonded(record), scene: [.bulb(1)], runsBluetoothd: true)
    _ = next.connect()
    #expect(next.harness.openLinks.last?.target.security == LinkSecurity(level: .medium, keyByteCount: 12))
  }

  @Test("An accessory without a bond is connected without encryption, as before")
  func unbonded() {
    let bench = BondedBench(.none, scene: [.bulb(1)])
    _ = bench.connect()
    #expect(bench.harness.openLinks.map(\.target.security) == [.none])
  }

  // MARK: - Keys that the kernel lacks

  @Test("A bond that bluetoothd keeps is used while bluetoothd runs, and stays good while it does not")
  func bluetoothdDoesNotRun() {
    let bench = BondedBench(.bonded(Rows.foreignBond), scene: [.bulb(1)], runsBluetoothd: true)
    _ = bench.connect()
    bench.opens()
    bench.ends(.byRemoteHost)
    bench.harness.bluetoothdEnds()
    // What is under way fails because the gateway has replaced the keys meanwhile.
    let early = bench.connect()
    bench.scenario.run(seconds: 2)
    bench.fails(.bondRefused)
    bench.ends(.authenticationFailed)
    #expect(bench.failure(early).error == "ConnectionFailed")
    let failure = bench.failure(bench.connect())
    #expect(failure.error == "ConnectionFailed" && failure.field == nil)
    #expect(failure.cure.contains("starts bluetoothd") && failure.cure.contains("import-bonds"))
    #expect(bench.harness.openLinks.isEmpty)
    bench.scenario.run(seconds: 1)
    #expect(bench.bond == "bonded")
  }

  @Test("A bond that the gateway keeps is not used while bluetoothd runs, and stays good")
  func bluetoothdRuns() {
    let bench = BondedBench(runsBluetoothd: true)
    let failure = bench.failure(bench.connect())
    #expect(failure.error == "ConnectionFailed" && failure.field == nil)
    #expect(failure.cure.contains("disables bluetoothd"))
    bench.ends(.authenticationFailed)
    bench.harness.bluetoothdEnds()
    #expect(bench.failure(bench.connect()).cure == "try again after a few seconds")
    bench.scenario.run(seconds: 2)
    #expect(bench.harness.openLinks.isEmpty && bench.bond == "bonded")
    let call = bench.connect()
    bench.opens()
    #expect(call.replies.map(\.error) == [nil])
  }

  @Test("Keys that are refused while a bluetoothd may have come are not lost")
  func bluetoothdMayHaveCome() {
    let bench = BondedBench()
    let call = bench.connect()
    bench.harness.receive(MgmtEvent(index: 3, .settings([.powered, .lowEnergy])))
    bench.fails(.bondRefused)
    #expect(bench.failure(call).error == "ConnectionFailed")
    bench.scenario.run(seconds: 2)
    #expect(bench.bond == "bonded")
  }

  @Test("A bond for whose keys the kernel has no room is not used, and stays good; the log says so once")
  func listIsFull() throws {
    var record = Rows.bond(isAuthenticated: false)
    let key = try #require(record.keys.longTermKeys.first)
    record.keys.longTermKeys = Array(repeating: key, count: 1821)
    let bench = BondedBench()
    bench.harness.agent.pairing.setBonds(
      [DeviceBond(BondedBench.identity, .bonded(record))], at: bench.harness.now)
    let failure = bench.failure(bench.connect())
    #expect(failure.error == "ConnectionFailed" && failure.field == nil)
    #expect(failure.cure.contains("removes accessories"))
    bench.ends(.authenticationFailed)
    bench.scenario.run(seconds: 1)
    #expect(bench.harness.openLinks.isEmpty && bench.bond == "bonded")
    let notice = Notice.pairing(.keysWereLeftOut(count: 1, BondedBench.identity))
    #expect(bench.harness.notices.count { $0 == notice } == 1)
  }

  // MARK: - Lost bonds

  @Test("Keys that the device refuses are a lost bond: for the app, in the list and in the status")
  func refused() {
    let bench = BondedBench()
    let call = bench.connect()
    bench.fails(.bondRefused)
    let failure = bench.failure(call)
    #expect(failure.error == "InvalidRequest" && failure.field == "accessory.bond")
    #expect(failure.cure.contains("accessoryctl pair \(bench.accessory)"))
    bench.scenario.run(seconds: 1)
    #expect(bench.scenario.text.contains("lights: accessoryChanged"))
    #expect(bench.app.events.last?.object("accessory")?.text("bond") == "lost")
    #expect(bench.bond == "lost")
    #expect(bench.problems.contains("bondLost"))
    // The next attempt is refused at once.
    let again = bench.failure(bench.connect())
    #expect(again.error == failure.error && again.field == failure.field && again.cure == failure.cure)
    #expect(bench.harness.openLinks.isEmpty)
  }

  @Test("A link that is less safe than the bond is ended at once, before the kernel pairs by itself")
  func unsafe() {
    let bench = BondedBench()
    let call = bench.connect()
    bench.harness.kernel?.links = [BondedBench.identity]
    bench.fails(.isUnsafe)
    #expect(bench.failure(call).field == "accessory.bond")
    #expect(bench.harness.managed.last?.opcode == .disconnect)
    #expect(bench.harness.kernel?.links == [])
    #expect(bench.harness.openLinks.isEmpty)
    bench.scenario.run(seconds: 1)
    #expect(bench.bond == "lost")
  }

  @Test("A failed authentication loses the bond if the agent was connecting, and not if another program was")
  func reported() {
    let bench = BondedBench()
    // The other program may have asked for more than the keys give.
    bench.ends(.authenticationFailed)
    bench.scenario.run(seconds: 1)
    #expect(bench.bond == "bonded")
    _ = bench.connect()
    bench.ends(.authenticationFailed)
    bench.scenario.run(seconds: 1)
    #expect(bench.bond == "lost")
  }

  @Test(
    "An app that asks its own connection for more than the keys give loses the connection, not the bond",
    arguments: [false, true])
  func raised(isPairingSocketFirst: Bool) {
    let bench = BondedBench()
    bench.harness.isPairingSocketFirst = isPairingSocketFirst
    _ = bench.connect()
    bench.opens()
    bench.ends(.authenticationFailed)
    bench.scenario.run(seconds: 1)
    #expect(bench.bond == "bonded")
  }

  @Test(
    "What says nothing about the keys leaves the bond, and may be tried again",
    arguments: [LinkError.refused("Host is down"), .broken, .busy, .exhausted])
  func unknown(error: LinkError) {
    let bench = BondedBench()
    let call = bench.connect()
    bench.fails(error)
    #expect(bench.failure(call).field == (error == .broken ? "accessory.link" : nil))
    bench.scenario.run(seconds: 1)
    #expect(bench.bond == "bonded")
    #expect(!bench.problems.contains("bondLost"))
  }

  @Test("A device out of reach, and one whose link ends, keep the bond")
  func timeout() {
    let bench = BondedBench()
    let call = bench.connect()
    bench.ends(.timeout)
    bench.ends(.byRemoteHost)
    bench.scenario.run(seconds: 31)
    #expect(bench.failure(call).error == "ConnectionFailed")
    #expect(bench.bond == "bonded")
  }

  @Test("The authentication of a device without a bond may fail: there is nothing to lose")
  func unbondedFailure() {
    let bench = BondedBench(.none, scene: [.bulb(1)])
    bench.ends(.authenticationFailed)
    bench.scenario.run(seconds: 1)
    #expect(bench.bond == Optional("none"))
    #expect(!bench.scenario.text.contains("accessoryChanged"))
  }

  @Test(
    "A program can tell a broken link, a lost bond and a device out of reach apart",
    arguments: [
      (LinkError.broken, "ConnectionFailed", "accessory.link"),
      (.bondRefused, "InvalidRequest", "accessory.bond"),
      (nil, "ConnectionFailed", "accessory.reach"),
    ] as [(LinkError?, String, String)])
  func threeErrors(cause: LinkError?, error: String, field: String) {
    let bench = BondedBench()
    let call = bench.connect()
    if let cause { bench.fails(cause) } else { bench.scenario.run(seconds: 31) }
    let failure = bench.failure(call)
    #expect(failure.error == error && failure.field == field)
  }

  @Test(
    "Resolve is refused for an accessory with a bond, lost or not",
    arguments: [Bond.bonded(Rows.bond()), .lost(Rows.bond())])
  func resolve(bond: Bond) {
    let bench = BondedBench(bond)
    let failure = bench.failure(bench.app.call("Resolve", about: bench.accessory))
    #expect(failure.error == "InvalidRequest" && failure.cure.contains("Connect"))
  }
}
