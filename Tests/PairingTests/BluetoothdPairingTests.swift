// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
@testable import Pairing
import Registry
import Testing

@Suite("Pairing through bluetoothd")
struct BluetoothdPairingTests {
  @Test("Just Works: the bond is bluetoothd's, with the identity from the kernel, and the link is ended")
  func justWorks() throws {
    var world = BluetoothdWorld()
    world.pair(.none, wait: 300_000)
    let paired = try #require(world.paired)
    #expect(paired.identity == ScriptedBluetoothd.identity)
    #expect(paired.method == .justWorks)
    #expect(paired.record.owner == .bluetoothd)
    #expect(!paired.record.isAuthenticated)
    #expect(paired.record.keys.identityKey?.bytes == [UInt8](1...16))
    #expect(paired.record.keys.longTermKeys.isEmpty)
    #expect(world.bluetoothd.isBonded && !world.bluetoothd.isConnected)
    #expect(world.bluetoothd.agent == nil && !world.isBusOpen)
    // The kernel ends the link too, at once.
    #expect(world.pairing.takeCommands() == [.disconnect(ScriptedBluetoothd.identity, 0)])
    #expect(
      world.bluetoothd.methods
        == [
          .followProperties(true), .registerAgent(.none), .listObjects, .pair(ScriptedBluetoothd.device),
          .disconnect(ScriptedBluetoothd.device), .unregisterAgent, .followProperties(false),
        ].sorted(like: world.bluetoothd.methods))
  }

  @Test("A device that bluetoothd does not know is looked for first, and forgotten when pairing fails")
  func discovery() throws {
    var world = BluetoothdWorld()
    world.bluetoothd.isKnown = false
    world.pair(wait: 300_000)
    #expect(world.paired != nil && !world.bluetoothd.isDiscovering)
    world = BluetoothdWorld(.refuses)
    world.bluetoothd.isKnown = false
    world.pair(wait: 300_000)
    #expect(world.error == .refused)
    #expect(!world.bluetoothd.isKnown)
  }

  @Test("Digits: typed, shown and compared, each with its method, and all authenticated")
  func digits() throws {
    let cases: [(ScriptedBluetoothd.Behavior, PairingQuestion, PairingAnswer?, PairingMethod)] = [
      (.showsDigits, .enterDigits, .digits(ScriptedBluetoothd.digits), .digitsEntered),
      (.hasKeys, .showDigits(ScriptedBluetoothd.digits), nil, .digitsShown),
      (.compares, .compare(ScriptedBluetoothd.digits), .digitsMatch(true), .digitsCompared),
    ]
    for (behavior, question, answer, method) in cases {
      var world = BluetoothdWorld(behavior)
      world.pair(demandsAuthentication: true, wait: 1000)
      #expect(world.questions == [question])
      if let answer {
        let otherKind: PairingAnswer = method == .digitsEntered ? .digitsMatch(true) : .digits(1)
        let taken = [world.answer(otherKind), world.answer(answer), world.answer(answer)]
        #expect(taken == [false, true, false])
      }
      world.run()
      #expect(world.paired?.method == method)
      #expect(world.paired?.record.isAuthenticated == true)
    }
  }

  @Test("Each way to fail has its error, and leaves no bond")
  func failures() throws {
    let cases: [(ScriptedBluetoothd.Behavior, PairingAnswer?, PairingError)] = [
      (.refuses, nil, .refused), (.leaves, nil, .deviceIsGone), (.isSilent, nil, .timeout(isAsking: false)),
      (.showsDigits, nil, .timeout(isAsking: true)), (.showsDigits, .digits(1), .wrongDigits),
      (.compares, .digitsMatch(false), .digitsDiffer), (.authorizes, nil, .refused),
      (.givesNoIdentity, nil, .noKeys),
    ]
    for (behavior, answer, error) in cases {
      var world = BluetoothdWorld(behavior)
      world.pair(wait: 1000)
      if let answer { _ = world.answer(answer) }
      world.run()
      #expect(world.error == error, "\(behavior)")
      #expect(!world.bluetoothd.isBonded && !world.bluetoothd.isConnected, "\(behavior)")
      #expect(world.bluetoothd.agent == nil && !world.isBusOpen)
    }
  }

  @Test("A bond without authentication is undone where an item demands one")
  func demand() {
    var world = BluetoothdWorld()
    world.pair(demandsAuthentication: true, wait: 300_000)
    #expect(world.error == .notAuthenticated(.justWorks))
    #expect(!world.bluetoothd.isBonded)
  }

  @Test("A device that is paired already keeps its bond, unless the request replaces it")
  func alreadyPaired() {
    var world = BluetoothdWorld()
    world.bluetoothd.isBonded = true
    world.pair(device: ScriptedBluetoothd.identity, wait: 300_000)
    #expect(world.error == .alreadyPaired(isRemoved: false))
    #expect(world.bluetoothd.isBonded)
    world = BluetoothdWorld()
    world.bluetoothd.isBonded = true
    world.pairing.setBonds(
      [DeviceBond(identity: ScriptedBluetoothd.identity, owner: .bluetoothd)], at: world.now)
    world.pair(device: ScriptedBluetoothd.identity, wait: 300_000)
    #expect(world.error == .alreadyBonded && world.bluetoothd.isBonded)
    world = BluetoothdWorld()
    world.bluetoothd.isBonded = true
    world.pair(replacesBond: true, device: ScriptedBluetoothd.identity, wait: 300_000)
    // Under its new address the device cannot be found without its identity key.
    #expect(world.error == .unknownToBluetoothd)
    world = BluetoothdWorld()
    world.bluetoothd.isBonded = true
    world.pair(replacesBond: true)
    world.bluetoothd.isBonded = false
    world.run()
    #expect(world.paired?.identity == ScriptedBluetoothd.identity)
  }

  @Test("A device whose bond was lost is found under a private address, and paired again")
  func lostBond() throws {
    let key = try #require(KeyValue([UInt8](1...16)))
    var world = BluetoothdWorld()
    world.bluetoothd.isKnown = false
    let random: UInt32 = 0x4A_BCDE
    world.bluetoothd.address = DeviceAddress(
      bits: UInt64(random) << 24 | UInt64(IdentityKey.hash(key: key.block, random: random)), type: .random)
    var keys = BondKeys()
    keys.identityKey = key
    world.pairing.setBonds(
      [DeviceBond(identity: ScriptedBluetoothd.identity, keys: keys, owner: .bluetoothd, isLost: true)],
      at: world.now)
    world.run()
    #expect(!world.isBusOpen)
    world.pair(replacesBond: true, device: ScriptedBluetoothd.identity, wait: 300_000)
    #expect(world.paired?.identity == ScriptedBluetoothd.identity)
  }

  @Test(
    "While the kernel's discovery is another program's, bluetoothd is asked again for its own, for half a minute"
  )
  func foreignDiscovery() {
    var world = BluetoothdWorld()
    world.bluetoothd.isKnown = false
    world.bluetoothd.foreignDiscoveries = 3
    world.pair(wait: 300_000)
    #expect(world.paired != nil)
    #expect(world.bluetoothd.methods.count { if case .startDiscovery = $0 { true } else { false } } == 4)
    world = BluetoothdWorld()
    world.bluetoothd.isKnown = false
    world.bluetoothd.foreignDiscoveries = .max
    world.pair(wait: 32_000)
    #expect(world.error == .unknownToBluetoothd)
  }

  @Test("The names of bluetoothd's errors become errors of pairing")
  func names() {
    let cases: [(String, PairingError)] = [
      ("org.bluez.Error.AuthenticationFailed", .refused),
      ("org.bluez.Error.AuthenticationRejected", .refused),
      ("org.bluez.Error.AuthenticationTimeout", .timeout(isAsking: false)),
      ("org.bluez.Error.AuthenticationCanceled", .otherProgram),
      ("org.bluez.Error.InProgress", .otherProgram),
      ("org.bluez.Error.ConnectionAttemptFailed", .deviceIsGone),
      ("org.bluez.Error.AlreadyExists", .alreadyPaired(isRemoved: false)),
      ("org.bluez.Error.DoesNotExist", .unknownToBluetoothd), ("org.bluez.Error.NotReady", .radioIsGone),
      ("org.freedesktop.DBus.Error.AccessDenied", .notPermitted),
      ("org.freedesktop.DBus.Error.NoReply", .bluetoothdChanged),
      ("org.bluez.Error.NotSupported", .notSupported("NotSupported")),
    ]
    for (name, error) in cases {
      var world = BluetoothdWorld()
      world.bluetoothd.failures = [{ if case .pair = $0.method { name } else { nil } }]
      world.pair(wait: 300_000)
      #expect(world.error == error, "\(name)")
    }
  }

  @Test("A link that ends after the devices' half a minute is a timeout, and one that ends before is not")
  func devicesGiveUp() {
    for (milliseconds, error) in [(29_500, PairingError.timeout(isAsking: false)), (5000, .deviceIsGone)] {
      #expect(Self.error(.isSilent, givesUpAfter: milliseconds) == error)
    }
  }

  @Test("A question that bluetoothd withdraws because the device gave up was not answered in time")
  func withdrawnQuestion() {
    for (milliseconds, error) in [(29_500, PairingError.timeout(isAsking: true)), (5000, .deviceIsGone)] {
      #expect(Self.error(.compares, givesUpAfter: milliseconds, [.questionsCancelled]) == error)
    }
  }

  /// Why a pairing fails whose device gives up after a time; bluetoothd reports the events before its reply.
  private static func error(
    _ behavior: ScriptedBluetoothd.Behavior, givesUpAfter milliseconds: Int, _ events: [BusEvent] = []
  ) -> PairingError? {
    var world = BluetoothdWorld(behavior)
    world.pair(wait: Int64(milliseconds))
    world.post(.mgmt(.disconnected(ScriptedBluetoothd.address, .authenticationFailed)))
    for event in events { world.post(.event(event)) }
    for output in world.bluetoothd.givesUp() { world.post(output) }
    world.run()
    return world.error
  }

  @Test("A question about another device is refused and reported, and the pairing goes on")
  func foreignQuestion() {
    var world = BluetoothdWorld(.compares)
    world.pair(wait: 1000)
    let other = "/org/bluez/hci0/dev_00"
    let address = DeviceAddress(bits: 7, type: .public)
    world.pairing.receive(
      .device(path: other, .init(addressBits: 7, addressType: .public, adapter: ScriptedBluetoothd.adapter)),
      at: world.now)
    world.pairing.receive(.question(token: 99, .confirmation(1), device: other), at: world.now)
    #expect(world.pairing.takeCalls().map(\.method) == [.answer(question: 99, .refuse)])
    world.performCalls()
    #expect(world.actions.contains(.foreignAttemptRefused(address)))
    _ = world.answer(.digitsMatch(true))
    world.run()
    #expect(world.paired != nil)
    #expect(world.pairing.counters.foreignQuestions == 1)
  }

  @Test("An input device stays connected, and bluetoothd trusts it")
  func inputDevice() {
    var world = BluetoothdWorld()
    world.pair(isInputDevice: true, wait: 300_000)
    #expect(world.paired != nil)
    #expect(world.bluetoothd.isConnected && world.bluetoothd.isTrusted)
  }

  @Test("One device is paired at a time, a request can be cancelled, and without an adapter nothing is begun")
  func busyAndCancelled() {
    var world = BluetoothdWorld(.isSilent)
    world.pair(wait: 1000)
    world.pairing.pair(PairingRequest(PairingID(2), ScriptedBluetoothd.address, .none), at: world.now)
    world.performCalls()
    #expect(world.actions == [.ended(PairingID(2), .failure(.busy))])
    world.pairing.cancel(PairingID(2), at: world.now)
    world.pairing.cancel(PairingID(1), at: world.now)
    world.run()
    #expect(world.actions.last == .ended(PairingID(1), .failure(.cancelled)))
    var closed = BluetoothdPairing()
    closed.pair(BluetoothdWorld.request, at: world.now)
    #expect(closed.takeActions() == [.ended(PairingID(1), .failure(.radioIsGone))])
    #expect(closed.deadline == nil)
  }

  @Test(
    "bluetoothd that ends, starts again, or is not there ends the pairing; a bond it kept is removed later")
  func restart() {
    var world = BluetoothdWorld(.isSilent)
    world.pair(wait: 1000)
    world.endBluetoothd()
    world.run(milliseconds: 1000)
    #expect(world.error == .bluetoothdChanged)
    // It had made the bond when it ended.
    (world.bluetoothd.isKnown, world.bluetoothd.isBonded) = (true, true)
    world.bluetoothd.behavior = .givesNoIdentity
    world.startBluetoothd()
    world.run()
    #expect(!world.bluetoothd.isBonded && !world.isBusOpen)
    world.actions = []
    world.endBluetoothd()
    world.pair(wait: 300_000)
    #expect(world.error == .bluetoothdChanged)
  }

  @Test("A bluetoothd that ends ends the connection first, and its end is the reason that is reported")
  func endedConnection() {
    // How long after the reply the name loses its owner, and whether the adapter is switched off in between.
    let times: [(Int, Bool, PairingError)] = [
      (0, false, .bluetoothdChanged), (900, false, .bluetoothdChanged), (900, true, .bluetoothdChanged),
      (1500, false, .deviceIsGone), (1500, true, .radioIsGone),
    ]
    for (milliseconds, isSwitchedOff, error) in times {
      let name = "ConnectionAttemptFailed"
      let found = Self.errorOfEnd(name, after: milliseconds, isSwitchedOff: isSwitchedOff)
      #expect(found == error, "\(milliseconds) ms, \(isSwitchedOff)")
    }
    let cases: [(String, PairingError)] = [
      ("AuthenticationCanceled", .bluetoothdChanged), ("ConnectionAttemptFailed", .bluetoothdChanged),
      ("DoesNotExist", .bluetoothdChanged), ("AuthenticationRejected", .refused),
    ]
    for (name, error) in cases {
      #expect(Self.errorOfEnd(name, after: 0) == error, "\(name)")
    }
  }

  /// Why a pairing fails to whose call bluetoothd replies with an error of this name before it ends.
  private static func errorOfEnd(
    _ name: String, after milliseconds: Int, isSwitchedOff: Bool = false
  ) -> PairingError? {
    var world = BluetoothdWorld(.isSilent)
    world.pair(wait: 1000)
    world.post(.mgmt(.disconnected(ScriptedBluetoothd.address, .byLocalHost)))
    for output in world.bluetoothd.givesUp(name) { world.post(output) }
    world.run(milliseconds: Int64(milliseconds / 2))
    if isSwitchedOff { world.pairing.close(.radioIsGone, at: world.now) }
    world.run(milliseconds: Int64(milliseconds / 2))
    world.endBluetoothd()
    world.run()
    return world.error
  }

  @Test("An adapter that vanishes ends the pairing, and is the reason for what bluetoothd reports")
  func adapterVanishes() {
    var world = BluetoothdWorld(.isSilent)
    world.pair(wait: 1000)
    // The kernel switches it off before, and bluetoothd reports what that meant for the device.
    for output in world.bluetoothd.givesUp("AuthenticationFailed") { world.post(output) }
    world.run(milliseconds: 1)
    world.pairing.receive(MgmtEvent(index: 0, .settings([])), at: world.now)
    world.pairing.close(.radioIsGone, at: world.now)
    world.pairing.pair(PairingRequest(PairingID(2), ScriptedBluetoothd.address, .none), at: world.now)
    #expect(world.pairing.takeActions() == [.ended(PairingID(2), .failure(.radioIsGone))])
    world.run(milliseconds: 1500)
    #expect(world.error == .radioIsGone)
    #expect(world.bluetoothd.agent == nil && !world.isBusOpen && world.pairing.deadline == nil)
  }

  @Test("A device that bluetoothd is pairing when the adapter is closed is not paired in the end")
  func closedAdapter() {
    var world = BluetoothdWorld()
    world.delay = { 50 }
    world.pair()
    while !world.bluetoothd.isBonded { world.run(milliseconds: 10) }
    world.pairing.close(.radioIsGone, at: world.now)
    world.run()
    #expect(world.error == .radioIsGone)
    #expect(!world.bluetoothd.isBonded && world.bluetoothd.agent == nil && !world.isBusOpen)
  }

  @Test(
    "A bus that cannot be opened, or refuses the account, has its error; it is tried again for the next pairing"
  )
  func busErrors() {
    for error in [PairingError.notPermitted, .bluetoothdChanged] {
      var world = BluetoothdWorld()
      world.pair()
      world.pairing.receive(.closed(error), at: world.now)
      world.run()
      #expect(world.error == error)
      world.actions = []
      world.pair(wait: 300_000)
      #expect(world.paired != nil)
    }
  }
}

extension [BusCall.Method] {
  /// The same methods in the order of other ones, where these have them.
  fileprivate func sorted(like other: Self) -> Self {
    count == other.count && allSatisfy(other.contains) ? other : self
  }
}
