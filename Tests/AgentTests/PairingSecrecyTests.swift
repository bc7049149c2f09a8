// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
import Controller
import HCI
import JSON
import Pairing
import Registry
import RegistrySupport
import Setup
import Testing
import Varlink

@testable import Agent

/// Searches for the keys of pairings that fail, and of bonds that bluetoothd keeps.
@Suite("Keys of failed pairings and of bluetoothd's bonds stay secret")
struct PairingSecrecyTests {
  /// A way in which a pairing ends without a bond.
  enum Failure: CaseIterable {
    case refused, silent, wrongDigits, digitsDiffer, notAuthenticated, vanished, cancelled, unwritten,
      adapterIsGone

    var behaviour: PairingPeer.Behaviour {
      switch self {
      case .refused: .refuses
      case .silent: .silent
      case .wrongDigits: .shows
      case .digitsDiffer, .cancelled, .adapterIsGone: .compares
      case .notAuthenticated, .unwritten: .justWorks
      case .vanished: .vanishes
      }
    }

    var behavior: ScriptedBluetoothd.Behavior {
      switch self {
      case .refused: .refuses
      case .silent: .isSilent
      case .wrongDigits: .showsDigits
      case .digitsDiffer, .cancelled, .adapterIsGone: .compares
      case .notAuthenticated, .unwritten: .justWorks
      case .vanished: .leaves
      }
    }
  }

  private static var peer: PairingPeer {
    var peer = PairingPeer(.justWorks)
    (peer.identity, peer.keyNumber) = (KernelPairingBench.bulb, 0x5A)
    return peer
  }
  private static let longTermKey = peer.longTermKeyBytes(central: 0)
  private static let identityKey = peer.identityKeyBytes
  private static let keys = [
    longTermKey, longTermKey.reversed(), identityKey, identityKey.reversed(),
  ]

  /// What the device advertises from now.
  private static func address(_ bench: KernelPairingBench) -> DeviceAddress {
    bench.harness.address(of: .rotatingBulb(key: peer.identityKey.key), at: 0)
  }

  /// Everything that leaves the agent, and what its parts are when they are dumped.
  private final class Output {
    let bench: KernelPairingBench
    private let watch: HarnessClient?
    private var calls: [ScenarioCall] = []
    private var dumps: [String] = []

    init(_ bench: KernelPairingBench) {
      self.bench = bench
      watch = bench.harness.connect()
      if let watch { bench.harness.call("Watch", by: watch, more: true) }
    }

    func add(_ call: ScenarioCall) { calls.append(call) }

    /// Calls what an operator can call, and dumps the parts of the agent that have keys. Returns the latter.
    @discardableResult
    func collectDumps() -> String {
      for method in [
        "Gateway.Status", "Gateway.Metrics", "Gateway.Sightings", "Operator.List", "Operator.Registry",
        "Operator.Export",
      ] {
        calls.append(bench.scenario.call(method, "", user: 0, label: "anna"))
      }
      let dump = KeySearch.dumped(bench.harness.agent.pairing)
      dumps += [dump, KeySearch.dumped(bench.harness.setupCore.registry)]
      return dump
    }

    var text: [String] {
      let streams = [bench.lights.stream, bench.anna.stream, watch].flatMap { $0?.replies ?? [] }
      let harness = bench.harness
      return (calls.flatMap(\.replies) + streams).map { "\($0)" } + harness.notices.map { "\($0)" }
        + ["\(harness.pairingCommands)", "\(harness.managed)", "\(harness.busCalls)"] + dumps
    }

    /// The registry's lines with keys.
    var exported: [String] {
      bench.scenario.call("Operator.Export", #""includesKeys":true"#, user: 0, label: "anna").replies.map {
        "\($0)"
      }
    }
  }

  /// The device arrives with its keys, and then the pairing fails.
  private func fail(_ failure: Failure, _ output: Output, _ emitKeys: () -> Void) -> ScenarioCall {
    let bench = output.bench
    if failure == .unwritten {
      // bluetoothd's bond is noted when it is made, and again before the accessory is written.
      let count = bench.harness.bluetoothd == nil ? 1 : 3
      bench.harness.registry.replies = Array(repeating: .failed(.full, isOpen: true), count: count)
    }
    bench.lights.call("ShowPicker", wait: 1)
    emitKeys()
    let call = bench.anna.choose(1)
    output.add(call)
    bench.scenario.run(seconds: 0.3)
    let dump = output.collectDumps()
    // The others are over.
    if [.silent, .wrongDigits, .digitsDiffer, .cancelled, .adapterIsGone].contains(failure) {
      #expect(dump.contains("(key)"), "the pairing has keys")
    }
    switch failure {
    case .wrongDigits: output.add(bench.anna.answer("AnswerPairing", #""digits":"000001""#))
    case .digitsDiffer: output.add(bench.anna.answer("AnswerPairing", #""matches":false"#))
    case .cancelled: output.add(bench.lights.call("CancelPicker"))
    case .adapterIsGone:
      bench.harness.radioVanishes()
      bench.harness.pairingKernel?.unplug(bench.harness.now)
    case .unwritten:
      bench.scenario.run(seconds: 2)
      output.add(bench.anna.answer("Name", #""name":"Desk""#))
    case .refused, .silent, .notAuthenticated, .vanished: break
    }
    bench.scenario.run(seconds: 75)
    output.collectDumps()
    return call
  }

  @Test("A pairing that fails after its keys came repeats none of them", arguments: Failure.allCases)
  func failures(failure: Failure) {
    let bench = KernelPairingBench(
      failure.behaviour, isPrivate: true, demandsAuthentication: failure == .notAuthenticated)
    bench.harness.pairingKernel?.peers[0].keyNumber = Self.peer.keyNumber
    let output = Output(bench)
    let call = fail(failure, output) {
      bench.harness.pairingKernel?.emitKeys(
        of: Self.peer, from: Self.address(bench), after: 160, bench.harness.now)
    }
    #expect(call.replies.last?.error?.hasSuffix("SetupFailed") == true)
    #expect(bench.harness.setupCore.registry.devices.isEmpty && bench.keyOwners.isEmpty)
    #expect(KeySearch.findings(in: output.text + output.exported, of: Self.keys) == [])
  }

  // MARK: - bluetoothd

  private func besideBluetoothd(_ failure: Failure? = nil) -> Output {
    let bench = KernelPairingBench(
      .justWorks, isPrivate: true, runsBluetoothd: true,
      demandsAuthentication: failure == .notAuthenticated)
    var bluetoothd = ScriptedBluetoothd()
    bluetoothd.adapterBits = 0x0605_0403_0201
    var device = ScriptedBluetoothd.Device(
      path: ScriptedBluetoothd.device, identity: KernelPairingBench.bulb,
      address: Self.address(bench))
    (device.behavior, device.identityKey) = (failure?.behavior ?? .justWorks, Self.identityKey)
    (device.longTermKey, device.isKnown) = (Self.longTermKey, false)
    bluetoothd.devices = [device]
    bench.harness.bluetoothd = bluetoothd
    return Output(bench)
  }

  @Test(
    "A pairing through bluetoothd that fails repeats no key that the kernel reports",
    arguments: Failure.allCases)
  func failuresBesideBluetoothd(failure: Failure) {
    let output = besideBluetoothd(failure)
    let bench = output.bench
    let call = fail(failure, output) {
      bench.harness.pairingKernel?.emitKeys(
        of: Self.peer, from: Self.address(bench), after: 160, bench.harness.now)
    }
    #expect(call.replies.last?.error?.hasSuffix("SetupFailed") == true)
    #expect(bench.harness.setupCore.registry.devices.isEmpty && bench.harness.bluetoothd?.isBonded == false)
    #expect(KeySearch.findings(in: output.text + output.exported, of: Self.keys) == [])
  }

  @Test("Of a bond that bluetoothd keeps, the agent has the identity key alone, and gives it to root alone")
  func bluetoothdsBond() throws {
    let output = besideBluetoothd()
    let bench = output.bench
    output.add(bench.chooses())
    bench.scenario.run(seconds: 2)
    output.add(bench.anna.answer("Name", #""name":"Desk""#))
    bench.scenario.run(seconds: 2)
    let record = try #require(bench.bonds.first?.bond.record)
    #expect(record.owner == .bluetoothd && record.keys.identityKey?.bytes == Self.identityKey)
    #expect(record.keys.longTermKeys.isEmpty && record.keys.linkKey == nil)
    #expect(bench.harness.pairingKernel?.received.contains { $0.opcode == .loadLongTermKeys } == false)
    output.collectDumps()
    #expect(KeySearch.findings(in: output.text, of: Self.keys) == [])
    let exported = output.exported
    #expect(KeySearch.findings(in: exported, of: [Self.longTermKey, Self.longTermKey.reversed()]) == [])
    #expect(KeySearch.findings(in: exported, of: [Self.identityKey]) != [])

    // bluetoothd loses the bond, and the device is paired again.
    bench.harness.post(bench.harness.bluetoothd?.forget(0) ?? [])
    bench.scenario.run(seconds: 5)
    #expect(bench.bonds.first?.bond.isBonded == false)
    bench.harness.bluetoothd?.address = Self.address(bench)
    output.add(bench.anna.call("Pair", #""accessory":"\#(bench.lights.accessory)""#))
    bench.scenario.run(seconds: 5)
    #expect(bench.bonds.first?.bond.isBonded == true)
    output.collectDumps()
    #expect(KeySearch.findings(in: output.text, of: Self.keys) == [])
  }

  @Test("A bond from bluetoothd's folder that is refused is not repeated in the refusal")
  func refusedImports() {
    func digits(_ number: UInt8) -> String { Hex(Rows.key(number).bytes).text }
    func longTermKey(_ kind: Int, _ value: String) -> String {
      #"{"kind":\#(kind),"isCentral":false,"byteCount":16,"diversifier":0,"random":"0000000000000000","value":"\#(value)"}"#
    }
    let key = longTermKey(2, digits(9))
    let identityKey = #""identityKey":"\#(digits(12))""#
    let lines = [
      // No such device, an owner that there is not, a bond of the other owner.
      #""device":"C0:00:00:00:00:99","owner":"gateway",\#(identityKey),"longTermKeys":[\#(key)]"#,
      #""device":"C0:00:00:00:00:01","owner":"\#(digits(9))",\#(identityKey),"longTermKeys":[\#(key)]"#,
      #""device":"C0:00:00:00:00:01","owner":"bluetoothd",\#(identityKey),"longTermKeys":[\#(key)]"#,
      // An address, a key and an identity key that are none.
      #""device":"\#(digits(9))","owner":"gateway",\#(identityKey),"longTermKeys":[\#(key)]"#,
      #""device":"C0:00:00:00:00:01","owner":"gateway","longTermKeys":[\#(longTermKey(2, digits(9) + "00"))]"#,
      #""device":"C0:00:00:00:00:01","owner":"gateway","longTermKeys":["\#(digits(9))"]"#,
      #""device":"C0:00:00:00:00:01","owner":"gateway","identityKey":"x\#(digits(12))","longTermKeys":[\#(key)]"#,
      // A debug key.
      #""device":"C0:00:00:00:00:01","owner":"gateway","longTermKeys":[\#(longTermKey(4, digits(9)))]"#,
    ]
    let bench = BondedBench(.lost(Rows.foreignBond))
    let before = bench.harness.registry.saved
    var output: [String] = []
    for line in lines {
      let call = bench.anna.call("ImportBond", #""addressType":"random",\#(line)"#, wait: 1)
      #expect(call.replies.count == 1 && call.replies.first?.error != nil, "\(line)")
      output += call.replies.map { "\($0)" }
    }
    #expect(bench.harness.registry.saved == before)
    output += bench.harness.notices.map { "\($0)" } + (bench.anna.stream?.replies ?? []).map { "\($0)" }
    let keys = [Rows.key(9).bytes, Rows.key(12).bytes]
    #expect(KeySearch.findings(in: output, of: keys + keys.map { $0.reversed() }) == [])
  }
}

extension ModelKernel {
  /// The keys of a device arrive before its pairing is over.
  fileprivate mutating func emitKeys(
    of peer: PairingPeer, from address: DeviceAddress, after milliseconds: Int64, _ now: Instant
  ) {
    guard let identityKey = KeyValue(peer.identityKeyBytes),
      let value = KeyValue(peer.longTermKeyBytes(central: 0))
    else { return }
    let identity = MgmtKey(peer.identity, identityKey)
    let key = MgmtKey(
      peer.identity, LongTermKey(kind: 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: value))
    emit(.bond(.identityKey(identity, address: address, isToBeKept: true)), after: milliseconds, now)
    emit(.bond(.longTermKey(key, isToBeKept: true)), after: milliseconds, now)
  }
}
