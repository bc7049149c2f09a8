// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import AgentSupport
import Controller
import HCI
import JSON
import Manifest
import Pairing
import Registry
import Setup
import VirtualRadio

@testable import Agent

/// The whole agent with two apps, an operator, a disk that may fail, and devices that are paired through a kernel or a
/// bluetoothd whose replies are late, lost, doubled, reordered or refused. One seed is one run.
final class PairedWorld {
  /// What must hold at the end of a run, when everything works again.
  enum Rule: String {
    /// Each picker that was presented has finished.
    case pickers
    /// Each call has its reply.
    case calls
    /// An accessory of an item that pairs has a bond, or had one.
    case bonds
    /// The kernel has the keys of the registry's bonds, and no others, when no bluetoothd runs.
    case keys
    /// bluetoothd has the bonds that the registry says it has, and no others, and nothing of a pairing stays in it.
    case bluetoothd
    /// No foreign pairing was confirmed, and none can be.
    case otherPairings
    /// No request is open, and no pairing is under way.
    case rest
  }

  /// What is wrong with a world that has to break a rule.
  enum Tampering {
    /// The kernel removes no keys at the end.
    case keepsKeys
    /// A program confirms whatever the kernel or bluetoothd asks.
    case confirmsForeign
    /// bluetoothd removes no bonds at the end.
    case keepsBonds
  }

  let harness: AgentHarness
  private let scenario: SetupScenario
  private let apps: [ScenarioApp]
  private let anna: ScenarioOperator
  private let peers: [PairingPeer]
  private let tampering: Tampering?
  /// Operators give accessories other devices, too.
  private let replaces: Bool
  private var calls: [ScenarioCall] = []
  var random: WorldRandom
  /// What bluetoothd had at the end, before it ended.
  private var isBluetoothdWrong = false
  /// How many devices were paired.
  private(set) var pairedCount = 0
  /// How many accessories got another device.
  private(set) var replacedCount = 0

  /// `hasBluetoothd`: bluetoothd pairs, as long as it runs.
  init(_ seed: UInt64, _ tampering: Tampering? = nil, hasBluetoothd: Bool = false, replaces: Bool = false) {
    var random = WorldRandom(seed)
    let behaviours: [PairingPeer.Behaviour] =
      [.justWorks, .justWorks, .legacy, .compares, .shows, .types, .refuses, .silent, .vanishes]
    let peers = (1...3 as ClosedRange<UInt64>).map { number in
      var peer = PairingPeer(random.pick(behaviours), number: number)
      peer.isPrivate = random.chance(60)
      return peer
    }
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      manifest.gateway.radio = .index(ModelKernel.index)
      for app in manifest.apps.indices {
        manifest.apps[app].items[0].descriptor.supportedOptions = .bluetoothPairingLE
        manifest.apps[app].items[0].pairing = random.pick([nil, nil, .justWorks, .authenticated])
        manifest.apps[app].items[0].setupOptions = random.pick([[], [], .rename, .confirmAuthorization])
      }
      if manifest.apps[1].items[0].pairing == .justWorks { manifest.apps[1].items[0].selection = .automatic }
    }
    harness = AgentHarness(manifest, scene: peers.map(SceneDevice.init), access: .twoApps)
    harness.pairingKernel = ModelKernel()
    harness.pairingKernel?.peers = peers
    harness.kernel = StandInKernel()
    scenario = SetupScenario(harness)
    harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    apps = [scenario.app(), scenario.app("garden", user: 1001)]
    anna = scenario.watcher("anna", random.chance(80) ? PairingBench.everything : [])
    self.random = random
    (self.peers, self.tampering, self.replaces) = (peers, tampering, replaces)
    if hasBluetoothd { startBluetoothd(around: peers) }
  }

  /// Runs the world, and returns the rules that are broken.
  func breaches() -> [Rule] {
    let isChaotic = random.chance(80)
    if isChaotic, harness.bluetoothd != nil { delayBluetoothd() }
    for _ in 0..<60 {
      moveDevices()
      if isChaotic, random.chance(30) { disturb() }
      if isChaotic, harness.bluetoothd != nil, random.chance(30) { disturbBluetoothd() }
      if random.chance(40) { answer() } else { act() }
      scenario.run(seconds: random.pick([0.1, 0.3, 1, 1, 4]))
      harness.agent.checkInvariants()
    }
    heal()
    replacedCount = harness.notices.count { if case .setup(.replaced) = $0 { true } else { false } }
    pairedCount = Int(harness.agent.pairing.counters.results[.paired] ?? 0)
    return brokenRules
  }

  // MARK: - Acts

  /// Devices move, and an app or an operator does something. The disk works.
  func stirUp() {
    moveDevices()
    scenario.collect()
    if random.chance(40) { answer() } else { act() }
    harness.registry.replies = []
  }

  private func act() {
    if replaces, random.chance(40) { return replaceOne() }
    let app = random.pick(apps)
    switch random.next(20) {
    case 0...5: calls.append(app.call("ShowPicker"))
    case 6...12: calls.append(anna.choose(1 + Int(random.next(3))))
    case 13: calls.append(app.call("CancelPicker"))
    case 14: calls.append(anna.answer(random.pick(["Deny", "Cancel"])))
    case 15: calls.append(anna.answer("Name", #""name":"Desk""#))
    case 16: decide(app)
    case 17: removeOne()
    case 18: pairOneAgain()
    default: harness.registry.replies = [.failed(.full, isOpen: true)]
    }
  }

  /// The operator replies to the question of the latest request, mostly right.
  private func answer() {
    let isRight = random.chance(80)
    let digits = isRight ? "\(PairingPeer.digits)" : "000005"
    calls.append(anna.answer("AnswerPairing", #""digits":"\#(digits)""#))
    calls.append(anna.answer("AnswerPairing", #""matches":\#(isRight)"#))
  }

  private func decide(_ app: ScenarioApp) {
    let method = random.chance(70) ? "FinishAuthorization" : "FailAuthorization"
    if !app.accessory.isEmpty { calls.append(app.call(method, about: app.accessory)) }
  }

  private var accessories: [RegistryAccessory] { harness.setupCore.registry.accessories }

  private func removeOne() {
    guard !accessories.isEmpty else { return }
    let identifier = random.pick(accessories).identifier.text
    calls.append(anna.call("Remove", #""accessory":"\#(identifier)""#))
  }

  /// In a request of its own, or in one that is open.
  private func replaceOne() {
    guard !accessories.isEmpty else { return }
    let accessory = random.pick(accessories)
    let open = harness.setupCore.requests.first { $0.app == accessory.app && $0.isLooking }
    guard let open else {
      calls.append(anna.call("Replace", #""accessory":"\#(accessory.identifier.text)""#))
      return
    }
    let candidate = open.picker?.candidates.shown.first?.number ?? 1
    let replaces = open.replaced == nil ? #","replaces":"\#(accessory.identifier.text)""# : ""
    calls.append(
      anna.call("Choose", #""request":"\#(open.id.text)","candidate":\#(candidate)\#(replaces)"#))
  }

  private func pairOneAgain() {
    guard !accessories.isEmpty else { return }
    let call = anna.call("Pair", #""accessory":"\#(random.pick(accessories).identifier.text)""#)
    if random.chance(20) { call.hangUp() } else { calls.append(call) }
  }

  // MARK: - What goes wrong

  private func disturb() {
    guard var kernel = harness.pairingKernel else { return }
    let now = harness.now
    switch random.next(12) {
    case 0 where !kernel.events.isEmpty: kernel.events.removeFirst()
    case 1 where !kernel.events.isEmpty: kernel.events.insert(kernel.events[0], at: 0)
    case 2 where kernel.events.count > 1:
      let event = kernel.events[0].event
      kernel.events[0].event = kernel.events[1].event
      kernel.events[1].event = event
    case 3 where !kernel.events.isEmpty:
      let late = kernel.events.removeFirst()
      kernel.emit(late.event.content, after: Int64(random.next(8000)), now)
    case 4...6: kernel.refusals.append((random.pick(Self.opcodes), random.pick(Self.statuses)))
    case 7: kernel.askForForeign(DeviceAddress(bits: 0x4A00_0000_0000 | random.next(99), type: .random), now)
    case 8:
      if let bond = harness.setupCore.bonds.first {
        kernel.emit(.disconnected(bond.identity, .authenticationFailed), now)
      }
    case 9 where random.chance(30): kernel.setPower(!kernel.isPowered, now)
    case 10 where random.chance(30):
      kernel.unplug(now)
      harness.pairingKernel = kernel
      scenario.run(seconds: 0.5)
      return harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    default: break
    }
    harness.pairingKernel = kernel
  }

  private static let opcodes: [MgmtOpcode] = [
    .setBondable, .pairDevice, .cancelPairDevice, .unpairDevice, .loadIdentityKeys, .loadLongTermKeys,
    .confirm,
  ]
  private static let statuses: [MgmtStatus] = [.busy, .failed, .notConnected, .disconnected, .timeout]

  /// bluetoothd finds each device under the address that it advertises from now.
  private func moveDevices() {
    for (index, peer) in peers.enumerated() where harness.bluetoothd?.devices[index].isBonded == false {
      harness.bluetoothd?.devices[index].address = harness.address(of: SceneDevice(peer), at: index)
    }
  }

  // MARK: - The end

  /// Everything works again; the apps ask for nothing more, and every deadline passes.
  private func heal() {
    harness.pairingKernel?.refusals = []
    harness.registry.replies = []
    healBluetoothd()
    if harness.pairingKernel?.isPowered == false { harness.pairingKernel?.setPower(true, harness.now) }
    // Another adapter hears no device.
    harness.radioVanishes()
    harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    scenario.run(seconds: 1)
    switch tampering {
    case .keepsKeys:
      harness.pairingKernel?.failing = [.unpairDevice, .loadLongTermKeys]
      for accessory in accessories { anna.call("Remove", #""accessory":"\#(accessory.identifier.text)""#) }
    case .confirmsForeign where harness.bluetoothd != nil: consentForAgent()
    case .confirmsForeign:
      let device = DeviceAddress(bits: 0x4A00_0000_0001, type: .random)
      harness.pairingKernel?.askForForeign(device, harness.now)
      harness.pairingKernel?.receive(.confirm(device, true, ModelKernel.index), at: harness.now)
    case .keepsBonds:
      harness.bluetoothd?.failures = [
        { if case .removeDevice = $0.method { "org.bluez.Error.Failed" } else { nil } }
      ]
      for accessory in accessories { anna.call("Remove", #""accessory":"\#(accessory.identifier.text)""#) }
    case nil: break
    }
    for app in apps { app.call("CancelPicker") }
    for request in harness.setupCore.requests where request.picker != nil && request.isOnBehalf {
      anna.call("Cancel", #""request":"\#(request.id.text)""#)
    }
    harness.run(milliseconds: 200_000)
    if harness.bluetoothd != nil {
      isBluetoothdWrong = harness.isBluetoothdUnlikeRegistry
      harness.bluetoothdEnds()
      harness.run(milliseconds: 10_000)
    }
    scenario.collect()
    harness.agent.checkInvariants()
  }

  private var brokenRules: [Rule] {
    guard let kernel = harness.pairingKernel else { return Rule.allBroken }
    let registry = harness.setupCore.registry
    let bonds = harness.setupCore.bonds.filter { $0.bond.record?.owner == .gateway || !$0.bond.isBonded }
    let bonded = Set(bonds.filter(\.bond.isBonded).map(\.identity))
    let recognised = Set(bonds.filter { $0.bond.record?.keys.identityKey != nil }.map(\.identity))
    let broken: [(Rule, Bool)] = [
      (.pickers, apps.contains { $0.count("pickerDidPresent") != $0.count("pickerFinished") }),
      (.calls, calls.contains { !$0.isOver }),
      (.bonds, registry.accessories.contains { registry.device(of: $0).bond == .none }),
      (
        .keys, Set(kernel.longTermKeys.map(\.device)) != bonded || Set(kernel.identityKeys.keys) != recognised
      ),
      (.bluetoothd, isBluetoothdWrong || harness.bluetoothd != nil && harness.isBusOpen),
      (
        .otherPairings,
        kernel.foreignConfirmations > 0 || kernel.isBondable || harness.bluetoothd?.foreignConsents ?? 0 > 0
      ),
      (.rest, !harness.setupCore.requests.isEmpty || kernel.pending != nil),
    ]
    return broken.filter(\.1).map(\.0)
  }
}

extension PairedWorld.Rule {
  fileprivate static var allBroken: [Self] {
    [.pickers, .calls, .bonds, .keys, .bluetoothd, .otherPairings, .rest]
  }
}

extension ScenarioApp {
  fileprivate func count(_ event: String) -> Int { events.count { $0.text("event") == event } }
}

extension SceneDevice {
  /// A bulb that is heard once a second, with the addresses of a device that can be paired.
  fileprivate init(_ peer: PairingPeer) {
    self = .bulb(peer.identity.bits)
    intervalMilliseconds = 1000
    address =
      peer.isPrivate
      ? .resolvable(key: peer.identityKey.key, rotationSeconds: 60) : .staticRandom(peer.identity.bits)
  }
}

/// xorshift64*.
struct WorldRandom {
  private var state: UInt64

  init(_ seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next(_ bound: UInt64) -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return (state &* 2_685_821_657_736_338_717) >> 33 % bound
  }

  mutating func chance(_ percent: UInt64) -> Bool { next(100) < percent }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(next(UInt64(values.count)))] }
}
