// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
@testable import Pairing
import Registry
import Testing

@Suite("Bonds that bluetoothd keeps")
struct BluetoothdBondTests {
  private static let bond = DeviceBond(identity: ScriptedBluetoothd.identity, owner: .bluetoothd)

  private func bondedWorld() -> BluetoothdWorld {
    var world = BluetoothdWorld()
    world.bluetoothd.isBonded = true
    world.pairing.setBonds([Self.bond], at: world.now)
    world.run(milliseconds: 10_000)
    return world
  }

  @Test("A bond that bluetoothd has is kept, also while bluetoothd is away and when it comes back")
  func kept() {
    var world = bondedWorld()
    #expect(world.isBusOpen && world.actions.isEmpty)
    // At its end bluetoothd removes its objects before its name.
    world.post(.event(.removed(path: ScriptedBluetoothd.device)))
    world.run(milliseconds: 100)
    world.endBluetoothd()
    world.run()
    world.startBluetoothd()
    world.run()
    #expect(world.actions.isEmpty)
    world.pairing.setBonds([], at: world.now)
    world.run()
    #expect(!world.isBusOpen)
  }

  @Test("A bond that bluetoothd removed, or lost while it was away, is reported once")
  func lost() {
    var world = bondedWorld()
    (world.bluetoothd.isKnown, world.bluetoothd.isBonded) = (false, false)
    world.post(.event(.removed(path: ScriptedBluetoothd.device)))
    world.run()
    #expect(world.actions == [.bondWasLost(ScriptedBluetoothd.identity)])

    world = bondedWorld()
    world.endBluetoothd()
    world.bluetoothd.isBonded = false
    world.startBluetoothd()
    world.run()
    #expect(world.actions == [.bondWasLost(ScriptedBluetoothd.identity)])

    world = bondedWorld()
    world.bluetoothd.isBonded = false
    world.post(.mgmt(.bond(.unpaired(ScriptedBluetoothd.identity))))
    world.run()
    #expect(world.actions == [.bondWasLost(ScriptedBluetoothd.identity)])
  }

  @Test("A bond is removed by its identity, whatever its path, and tried again when bluetoothd comes back")
  func removed() {
    var world = bondedWorld()
    world.pairing.unpair(ScriptedBluetoothd.identity, at: world.now)
    #expect(world.pairing.isBusy(at: world.now))
    world.run()
    #expect(!world.bluetoothd.isKnown && !world.isBusOpen && !world.pairing.isBusy(at: world.now))
    #expect(
      world.actions == [
        .removalWaits(ScriptedBluetoothd.identity), .removalEnded(ScriptedBluetoothd.identity),
      ])

    // The bus is opened for a removal only.
    world = BluetoothdWorld()
    world.bluetoothd.isBonded = true
    world.pairing.unpair(ScriptedBluetoothd.identity, at: world.now)
    while world.pairing.isBusy(at: world.now) { world.run(milliseconds: 10) }
    #expect(!world.bluetoothd.isKnown && world.now.milliseconds(since: Instant(microseconds: 0)) < 4000)

    world = bondedWorld()
    world.endBluetoothd()
    world.run(milliseconds: 1000)
    world.pairing.unpair(ScriptedBluetoothd.identity, at: world.now)
    world.run()
    #expect(world.bluetoothd.isBonded && world.actions == [.removalWaits(ScriptedBluetoothd.identity)])
    // Nothing can be done while bluetoothd does not run.
    world.pairing.close(.bluetoothdChanged, at: world.now)
    #expect(!world.pairing.isBusy(at: world.now))
    world.pairing.open(adapter: 0, address: 0xA11, at: world.now)
    world.startBluetoothd()
    world.run()
    #expect(!world.bluetoothd.isBonded && !world.isBusOpen)

    world = bondedWorld()
    var isFirst = true
    world.bluetoothd.failures = [
      { call in
        guard case .removeDevice = call.method, isFirst else { return nil }
        isFirst = false
        return "org.bluez.Error.Failed"
      }
    ]
    world.pairing.unpair(ScriptedBluetoothd.identity, at: world.now)
    world.run()
    #expect(!world.bluetoothd.isBonded && !world.isBusOpen)
  }

  @Test("A bond that is to be removed, and is kept after all or made again, is not removed")
  func keptAfterAll() {
    var world = bondedWorld()
    world.endBluetoothd()
    world.run(milliseconds: 1000)
    world.pairing.unpair(ScriptedBluetoothd.identity, at: world.now)
    // The registry has yet to learn of it.
    world.pairing.setBonds([Self.bond], at: world.now)
    world.run()
    world.pairing.keepBond(ScriptedBluetoothd.identity, at: world.now)
    world.pairing.setBonds([Self.bond], at: world.now)
    world.startBluetoothd()
    world.run()
    #expect(world.bluetoothd.isBonded && world.actions.last == .removalEnded(ScriptedBluetoothd.identity))

    world = BluetoothdWorld()
    world.pairing.unpair(ScriptedBluetoothd.identity, at: world.now)
    world.pair(wait: 300_000)
    #expect(world.bluetoothd.isBonded && world.paired?.identity == ScriptedBluetoothd.identity)
  }

  @Test("A bond that bluetoothd made as it ended is removed by the identity that the kernel reports later")
  func identityAfterEnd() throws {
    var world = BluetoothdWorld(.isSilent)
    world.pair(wait: 5000)
    #expect(world.bluetoothd.methods.last == .pair(ScriptedBluetoothd.device))
    world.bluetoothd.isBonded = true
    world.bluetoothd.end()
    world.pairing.close(.bluetoothdChanged, at: world.now)
    world.run(milliseconds: 10)
    let key = MgmtKey(
      ScriptedBluetoothd.identity, try #require(KeyValue([UInt8](1...16))))
    world.post(.mgmt(.bond(.identityKey(key, address: ScriptedBluetoothd.address, isToBeKept: true))))
    world.run(milliseconds: 1000)
    #expect(
      world.actions == [
        .ended(PairingID(1), .failure(.bluetoothdChanged)), .removalWaits(ScriptedBluetoothd.address),
        .removalWaits(ScriptedBluetoothd.identity), .removalEnded(ScriptedBluetoothd.address),
      ])
    world.bluetoothd.isRunning = true
    world.pairing.open(adapter: 0, address: 0xA11, at: world.now)
    world.run()
    #expect(!world.bluetoothd.isBonded && world.actions.last == .removalEnded(ScriptedBluetoothd.identity))
  }

  @Test(
    "From bluetoothd's reply on, a bond is to be removed, until an accessory is to have it or it is undone")
  func newBond() {
    let identity = ScriptedBluetoothd.identity
    var world = BluetoothdWorld()
    world.pair()
    while world.pairing.attempt?.isPaired == false { world.run(milliseconds: 1) }
    #expect(world.actions == [.removalWaits(identity)] && world.results.isEmpty)
    world.run()
    // The registry ends the removal with the change that adds the accessory.
    #expect(world.paired?.identity == identity && !world.actions.contains(.removalEnded(identity)))
    #expect(world.bluetoothd.isBonded && !world.isBusOpen)

    world = BluetoothdWorld()
    world.pair(demandsAuthentication: true, wait: 300_000)
    #expect(world.error == .notAuthenticated(.justWorks) && !world.bluetoothd.isBonded)
    #expect(world.actions.dropLast() == [.removalWaits(identity), .removalEnded(identity)])
  }

  @Test("The size of a new bond's keys belongs to its record, if it is one that keys may have")
  func keySize() {
    for (byteCount, recorded) in [(12, 12), (6, nil), (17, nil)] as [(UInt8, UInt8?)] {
      var world = BluetoothdWorld()
      world.bluetoothd.keyByteCount = byteCount
      world.pair(wait: 300_000)
      #expect(world.paired != nil && world.paired?.record.foreignKeyByteCount == recorded)
    }
  }

  @Test("A key for BR/EDR that the kernel reports is noted, also as the last of all keys")
  func linkKey() throws {
    let value = try #require(KeyValue([UInt8](repeating: 7, count: 16)))
    let key = MgmtKey(ScriptedBluetoothd.identity, LinkKey(kind: 7, pinByteCount: 0, value: value))
    for isLast in [false, true] {
      var world = BluetoothdWorld()
      world.pair()
      if isLast { while world.pairing.attempt?.step != .unregistering { world.run(milliseconds: 1) } }
      world.pairing.receive(MgmtEvent(index: 0, .bond(.linkKey(key, isToBeKept: true))), at: world.now)
      world.run()
      #expect(world.paired?.record.hasForeignLinkKey == true)
    }
    var world = BluetoothdWorld()
    world.pair()
    world.post(.mgmt(.bond(.linkKey(key, isToBeKept: false))))
    world.run()
    #expect(world.paired?.record.hasForeignLinkKey == false)
  }

  @Test(
    "Messages that cannot be used change nothing, are counted and reported; values that are missing are no loss"
  )
  func malformed() {
    var world = bondedWorld()
    let before = world.pairing.deadline
    for event in [.malformed, .otherProgram, .malformed] as [BusEvent] {
      world.pairing.receive(event, at: world.now)
    }
    #expect(
      world.pairing.takeActions() == [
        .busMessageWasIgnored(.unreadable), .busMessageWasIgnored(.otherProgram),
        .busMessageWasIgnored(.unreadable),
      ])
    world.pairing.receive(.device(path: "/x", .init()), at: world.now)
    world.pairing.receive(.adapter(path: "", .init()), at: world.now)
    world.pairing.receive(.reply(to: 12_345, nil), at: world.now)
    world.pairing.receive(.question(token: 1, .confirmation(.max), device: "/x"), at: world.now)
    #expect(world.pairing.deadline == before)
    #expect(world.pairing.takeCalls().map(\.method) == [.answer(question: 1, .refuse)])
    #expect(world.pairing.counters.malformed == 3)
    #expect(world.pairing.takeActions().isEmpty)
  }

  @Test("Digits above 999,999 are refused and reported, are not blamed on the device, and leave no bond")
  func invalidDigits() {
    for behavior in [ScriptedBluetoothd.Behavior.compares, .hasKeys] {
      for digits in [1_000_000, UInt32.max] {
        var world = BluetoothdWorld(behavior)
        world.bluetoothd.digits = digits
        world.pair(wait: 5000)
        #expect(world.error == .invalidDigits(isKernel: false))
        #expect(world.questions.isEmpty && world.pairing.counters.malformed == 1)
        #expect(world.actions.contains(.busMessageWasIgnored(.invalidDigits)))
        #expect(!world.bluetoothd.isBonded && world.bluetoothd.agent == nil && !world.isBusOpen)
      }
    }
  }

  @Test("A crowd of devices is limited, and paired ones are kept beyond the limit")
  func crowd() {
    var objects = BusObjects()
    var turnedAway = 0
    for index in 0..<BusObjects.devicesMax + 10 {
      let hasPlace = objects.update(
        device: "/\(index)", .init(addressBits: UInt64(index), addressType: .public, adapter: "/a"))
      if !hasPlace { turnedAway += 1 }
    }
    #expect(objects.devices.count == BusObjects.devicesMax && turnedAway == 10)
    let isPairedKept = objects.update(
      device: "/p", .init(addressBits: 9_999_999, addressType: .public, adapter: "/a", isPaired: true))
    #expect(isPairedKept)
    #expect(objects.device(of: "/a") { $0.bits == 9_999_999 } == "/p")
    #expect(objects.device(of: "/b") { _ in true } == nil)
    objects.beginList()
    _ = objects.update(device: "/1", .init())
    objects.endList()
    #expect(Array(objects.devices.keys) == ["/1"])
  }
}
