// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Registry
import RegistrySupport
import Testing

@Suite("The registry's rules")
struct RegistryRuleTests {
  private let first = Rows.identifier(2)
  private let second = Rows.identifier(4)

  private func registry(_ changes: RegistryChange...) throws -> AccessoryRegistry {
    var registry = AccessoryRegistry()
    for change in changes { try registry.apply(change) }
    registry.checkInvariants()
    return registry
  }

  @Test("Two apps share a device and its name, and nothing else")
  func sharing() throws {
    var registry = try registry(Rows.addition(1), Rows.addition(2, app: "meters", item: nil, device: 1))
    #expect(registry.devices.map(\.displayName) == ["Lumo 1"])
    try registry.apply(.rename(second, displayName: "Hall"))
    let both = registry.accessories
    #expect(both.map { registry.device(of: $0).displayName } == ["Hall", "Hall"])
    #expect(both[0].identifier != both[1].identifier)
    #expect(both[0].bluetoothIdentifier != both[1].bluetoothIdentifier)
    #expect(registry.accessory(first, ofApp: "meters") == nil)
  }

  @Test("Further accessories of an app with the same default name are numbered")
  func numberedNames() throws {
    func addition(_ n: UInt64, app: String = "lights", _ naming: RegistryAddition.Naming = .numbered)
      -> RegistryChange
    {
      guard case .add(var addition) = Rows.addition(n, app: app) else { preconditionFailure("it adds") }
      addition.displayName = "Lumo bulb"
      addition.naming = naming
      return .add(addition)
    }
    let registry = try registry(
      addition(1), addition(2), addition(3), addition(4, app: "meters"), addition(5, .byApp))
    let names = registry.accessories.map { registry.device(of: $0).displayName }
    #expect(names == ["Lumo bulb", "Lumo bulb 2", "Lumo bulb 3", "Lumo bulb", "Lumo bulb"])
    let long = String(repeating: "厨", count: 82)
    var other = try self.registry(addition(1))
    try other.apply(.rename(Rows.identifier(2), displayName: long))
    #expect(other.numberedName(long, ofApp: "lights") == String(repeating: "厨", count: 82) + " 2")
    try other.apply(.rename(Rows.identifier(2), displayName: long + "!!"))
    let numbered = other.numberedName(long + "!!", ofApp: "lights")
    #expect(numbered == long + " 2" && numbered.utf8.count <= RegistryLimits.textBytesMax)
  }

  @Test("The name of an operator goes to a device that another app has; any other name does not")
  func nameOfSharedDevice() throws {
    for (naming, expected) in [
      (RegistryAddition.Naming.numbered, "Lumo 1"), (.byApp, "Lumo 1"), (.byOperator, "Hall"),
    ] {
      guard case .add(var addition) = Rows.addition(2, app: "meters", item: nil, device: 1) else { return }
      addition.displayName = "Hall"
      addition.naming = naming
      let registry = try registry(Rows.addition(1), .add(addition))
      #expect(registry.devices.map(\.displayName) == [expected])
    }
  }

  @Test("Removing the last accessory of a device removes the device, and leaves its bond to bluetoothd")
  func lastRemoval() throws {
    var registry = try registry(Rows.addition(1), Rows.addition(2, app: "meters", device: 1))
    try registry.apply(.setBond(first, .bonded(Rows.foreignBond)))
    #expect(try registry.apply(.remove(first, leavesTombstone: false)).removedDevice == nil)
    let outcome = try registry.apply(.remove(second, leavesTombstone: false))
    #expect(outcome.removedDevice?.bond == .bonded(Rows.foreignBond))
    #expect(registry.rows.map(\.table) == [.former, .former, .bondRemoval])
  }

  @Test("An accessory and its bond are one change, and a second app finds the bond that is there")
  func additionWithBond() throws {
    guard case .add(var addition) = Rows.addition(1),
      case .add(var other) = Rows.addition(2, app: "meters", device: 1)
    else { return }
    addition.isIdentityDurable = false
    addition.bond = .bonded(Rows.bond(1))
    var registry = AccessoryRegistry()
    let outcome = try registry.apply(.add(addition))
    #expect(outcome.writes.count == 3)
    #expect(registry.devices.map(\.bond) == [.bonded(Rows.bond(1))])
    #expect(registry.devices.map(\.isIdentityDurable) == [true])
    var unpaired = registry
    try unpaired.apply(.add(other))
    #expect(unpaired.devices.map(\.bond) == [.bonded(Rows.bond(1))])
    other.bond = .bonded(Rows.bond(3))
    try registry.apply(.add(other))
    #expect(registry.devices.map(\.bond) == [.bonded(Rows.bond(3))])
    try registry.apply(.remove(second, leavesTombstone: false))
    #expect(
      try registry.apply(.remove(first, leavesTombstone: true)).removedDevice?.bond == .bonded(Rows.bond(3)))
    registry.checkInvariants()
  }

  @Test("A pairing reveals that a device's second address is its identity")
  func additionRevealsIdentity() throws {
    var registry = try registry(Rows.addition(1), .addAddress(first, Rows.address(8)))
    guard case .add(var addition) = Rows.addition(2, app: "meters", device: 8) else { return }
    addition.bond = .bonded(Rows.bond())
    try registry.apply(.add(addition))
    #expect(registry.devices.map(\.identity) == [.bluetooth(Rows.address(8))])
    #expect(registry.devices.map(\.secondAddress) == [nil])
    registry.checkInvariants()
  }

  @Test("A bond with keys that no device could have is refused by name")
  func invalidKeys() throws {
    var registry = try registry(Rows.addition(1))
    let before = registry
    var records: [BondRecord] = []
    func add(_ change: (inout BondKeys) -> Void) {
      var record = Rows.bond()
      change(&record.keys)
      records.append(record)
    }
    add { $0.longTermKeys[0].byteCount = 6 }
    add { $0.longTermKeys[0].byteCount = 17 }
    add { $0.longTermKeys[0].kind = 4 }
    add { $0.longTermKeys[0].central = 2 }
    add { $0.longTermKeys += [$0.longTermKeys[0], $0.longTermKeys[0]] }
    // The device has a static random address, which no device with BR/EDR has.
    add { $0.linkKey = LinkKey(kind: 7, pinByteCount: 0, value: Rows.key(1)) }
    for record in records {
      #expect(throws: RegistryError.invalid(.bond)) { try registry.apply(.setBond(first, .bonded(record))) }
      #expect(registry == before)
    }
  }

  @Test("A device that is added again gets another identifier")
  func addedAgain() throws {
    var registry = try registry(Rows.addition(1))
    #expect(throws: RegistryError.alreadyAdded(first)) { try registry.apply(Rows.addition(2, device: 1)) }
    try registry.apply(.remove(first, leavesTombstone: false))
    try registry.apply(Rows.addition(2, device: 1))
    #expect(registry.accessories.map(\.identifier) == [second])
  }

  @Test("A removed device is not set up again hands-free until it is allowed, but an operator can choose it")
  func tombstones() throws {
    var registry = try registry(Rows.addition(1), .remove(first, leavesTombstone: true))
    guard case .add(var addition) = Rows.addition(2, device: 1) else { return }
    addition.isHandsFree = true
    #expect(throws: RegistryError.removedBefore) { try registry.apply(.add(addition)) }
    var allowed = registry
    try allowed.apply(.allow(app: "lights", .bluetooth(Rows.address(1))))
    #expect(allowed.tombstones.isEmpty)
    try allowed.apply(.add(addition))
    #expect(throws: RegistryError.notRemoved) {
      try allowed.apply(.allow(app: "lights", .bluetooth(Rows.address(1))))
    }
    addition.isHandsFree = false
    try registry.apply(.add(addition))
    #expect(registry.tombstones.isEmpty)
  }

  @Test("A new tombstone replaces the oldest of the app that has the most, and the outcome reports it")
  func tombstonesFull() throws {
    var registry = AccessoryRegistry()
    try registry.apply(Rows.addition(5000, app: "meters"))
    try registry.apply(.remove(Rows.identifier(10_000), leavesTombstone: true))
    for n in 1...UInt64(RegistryLimits.tombstonesMax) {
      try registry.apply(Rows.addition(n))
      let outcome = try registry.apply(.remove(Rows.identifier(2 * n), leavesTombstone: true))
      #expect((outcome.forgotten != nil) == (n == RegistryLimits.tombstonesMax))
    }
    #expect(registry.tombstones.count == RegistryLimits.tombstonesMax)
    #expect(
      registry.tombstones.prefix(2).map(\.identity) == [5000, 2].map { .bluetooth(Rows.address($0)) })
  }

  @Test("A removed accessory leaves the identifier that its app had, unless the app never confirmed it")
  func formers() throws {
    guard case .add(var unconfirmed) = Rows.addition(2) else { return }
    unconfirmed.state = .awaitingAuthorization
    var registry = try registry(Rows.addition(1), .add(unconfirmed))
    try registry.apply(.addAddress(first, Rows.address(9)))
    try registry.apply(.remove(first, leavesTombstone: false))
    try registry.apply(.remove(second, leavesTombstone: false))
    let former = FormerIdentifier(
      number: 1, app: "lights", bluetoothIdentifier: Rows.identifier(3), address: Rows.address(1))
    #expect(registry.formers == [former])
    #expect(registry.former(Rows.identifier(3), ofApp: "lights") == former)
    #expect(registry.former(Rows.identifier(3), ofApp: "meters") == nil)
    #expect(registry.former(Rows.identifier(2), ofApp: "lights") == nil)
  }

  @Test("A new former identifier replaces the oldest of the app that has the most")
  func formersFull() throws {
    var registry = AccessoryRegistry()
    try registry.apply(Rows.addition(5000, app: "meters"))
    try registry.apply(.remove(Rows.identifier(10_000), leavesTombstone: false))
    for n in 1...UInt64(RegistryLimits.formersMax) {
      try registry.apply(Rows.addition(n))
      try registry.apply(.remove(Rows.identifier(2 * n), leavesTombstone: false))
    }
    #expect(registry.formers.count == RegistryLimits.formersMax)
    #expect(registry.formers.prefix(2).map(\.address) == [Rows.address(5000), Rows.address(2)])
    registry.checkInvariants()
  }

  @Test("A migration gives the app the identifier it had, which is no former one any more")
  func migration() throws {
    var registry = try registry(Rows.addition(1), .remove(first, leavesTombstone: true))
    try registry.apply(.migrate([Rows.readdition(2, device: 1, as: Rows.identifier(3))]))
    #expect(registry.accessories.map(\.bluetoothIdentifier) == [Rows.identifier(3)])
    #expect(registry.accessories.map(\.identifier) == [second])
    #expect(registry.formers.isEmpty && registry.tombstones.isEmpty)
  }

  @Test("A migration replaces the accessory of an item that was renamed, and keeps device and bond")
  func migrationOfRenamedItem() throws {
    var registry = try registry(Rows.addition(1), .setBond(first, .bonded(Rows.foreignBond)))
    var addition = Rows.readdition(2, device: 1, as: Rows.identifier(3))
    addition.item = "lamp"
    #expect(throws: RegistryError.alreadyAdded(first)) { try registry.apply(.migrate([addition])) }
    let outcome = try registry.apply(.migrate([addition], replacing: [first]))
    #expect(outcome.removedDevice == nil)
    #expect(registry.accessories.map(\.item) == ["lamp"])
    #expect(registry.accessories.map(\.bluetoothIdentifier) == [Rows.identifier(3)])
    #expect(registry.devices.map(\.bond) == [.bonded(Rows.foreignBond)])
    #expect(registry.formers.isEmpty && registry.accounts.count == 1)
    registry.checkInvariants()
  }

  @Test("A migration leaves the bond that the device has for another app, lost or not")
  func migrationKeepsBond() throws {
    for bond in [Bond.bonded(Rows.bond()), .lost(Rows.bond())] {
      var registry = try registry(Rows.addition(1), .setBond(first, bond))
      var addition = Rows.readdition(2, app: "meters", device: 1)
      addition.bond = .bonded(Rows.foreignBond)
      try registry.apply(.migrate([addition]))
      #expect(registry.accessories.count == 2 && registry.devices.map(\.bond) == [bond])
    }
  }

  @Test("A migration adds all of its accessories or none")
  func migrationIsWhole() throws {
    var registry = try registry(Rows.addition(1))
    let before = registry
    #expect(throws: RegistryError.alreadyAdded(first)) {
      try registry.apply(.migrate([Rows.readdition(2), Rows.readdition(3, device: 1)]))
    }
    #expect(registry == before)
  }

  @Test("An item and a registry have at most their number of accessories")
  func full() throws {
    var registry = try registry(Rows.addition(1))
    guard case .add(var addition) = Rows.addition(2) else { return }
    addition.maxAccessories = 1
    #expect(throws: RegistryError.itemFull(maxAccessories: 1)) { try registry.apply(.add(addition)) }
    for n in 2...UInt64(RegistryLimits.accessoriesMax) { try registry.apply(Rows.addition(n)) }
    #expect(throws: RegistryError.full) { try registry.apply(Rows.addition(9_999)) }
    registry.checkInvariants()
  }

  @Test("An app whose account changed adds nothing until an operator confirms it")
  func accounts() throws {
    var registry = try registry(Rows.addition(1))
    guard case .add(var addition) = Rows.addition(2) else { return }
    addition.account = .user(1001)
    #expect(throws: RegistryError.accountChanged) { try registry.apply(.add(addition)) }
    try registry.apply(.confirmAccount(app: "lights", .user(1001)))
    try registry.apply(.add(addition))
    #expect(throws: RegistryError.unknownApp) {
      try registry.apply(.confirmAccount(app: "meters", .user(1)))
    }
  }

  @Test("A classic key that comes with a later bond gives every app the bridging identifier it asked for")
  func bridging() throws {
    var record = Rows.bond()
    record.keys.linkKey = LinkKey(kind: 7, pinByteCount: 0, value: Rows.key(9))
    let identity = DeviceAddress(bits: 0x0011_2233_4455, type: .public)
    func addition(_ n: UInt64, _ app: String) -> RegistryAddition {
      var addition = Rows.readdition(n, app: app, device: 1)
      addition.descriptor.supportedOptions.insert(.bluetoothTransportBridging)
      return addition
    }
    var registry = try registry(
      .add(addition(1, "lights")), .add(addition(2, "meters")), Rows.addition(3, app: "doors", device: 1))
    try registry.apply(.authorize(second, bridgingIdentifier: 0x0A))
    try registry.apply(.setBond(first, .bonded(Rows.bond()), identity: identity))
    #expect(registry.accessories.map(\.bridgingIdentifier) == [nil, 0x0A, nil])
    try registry.apply(.setBond(first, .bonded(record), identity: identity))
    #expect(registry.accessories.map(\.bridgingIdentifier) == [identity.bits, 0x0A, nil])
    // So does the bond of another app's setup.
    try registry.apply(.setBond(first, .lost(Rows.bond()), identity: identity))
    try registry.apply(.remove(first, leavesTombstone: false))
    var later = addition(4, "lights")
    (later.identity, later.bond) = (.bluetooth(identity), .bonded(record))
    try registry.apply(.add(later))
    #expect(registry.accessories.map(\.bridgingIdentifier) == [0x0A, nil, identity.bits])
    registry.checkInvariants()
  }

  @Test("A bootloader's address belongs to the same device, even after a bond reveals the identity")
  func secondAddress() throws {
    var registry = try registry(Rows.addition(1), .addAddress(first, Rows.address(8)))
    #expect(registry.accessory(ofApp: "lights", on: .bluetooth(Rows.address(8)))?.identifier == first)
    try registry.apply(.setBond(first, .lost(Rows.bond()), identity: Rows.address(8)))
    #expect(registry.devices.first?.secondAddress == nil)
    #expect(registry.devices.first?.isIdentityDurable == true)
    registry.checkInvariants()
  }

  @Test("Keys of a descriptor never change")
  func extending() throws {
    var registry = try registry(Rows.addition(1))
    try registry.apply(.extend(first, RegistryExtension(ssidPrefix: [1])))
    #expect(throws: RegistryError.invalid(.descriptor)) {
      try registry.apply(.extend(first, RegistryExtension(ssidPrefix: [2])))
    }
    #expect(throws: RegistryError.invalid(.descriptor)) {
      try registry.apply(.extend(first, RegistryExtension(ssid: [1, 2])))
    }
    let camera = WiFiAwareService(serviceName: Array("_cam".utf8))
    try registry.apply(.extend(first, RegistryExtension(wifiAware: camera)))
    #expect(throws: RegistryError.invalid(.descriptor)) {
      try registry.apply(
        .extend(first, RegistryExtension(wifiAware: WiFiAwareService(serviceName: [UInt8(1)]))))
    }
    #expect(registry.accessory(first)?.descriptor.wifiAware == camera)
    try registry.apply(.extend(first, RegistryExtension(alternate: Rows.descriptor)))
    #expect(registry.accessory(first)?.alternate == Rows.descriptor)
  }

  @Test("A value that cannot be stored is refused by name")
  func invalid() throws {
    var registry = try registry(Rows.addition(1))
    let before = registry
    let cases: [(RegistryChange, RegistryField)] = [
      (.rename(first, displayName: ""), .displayName),
      (.rename(first, displayName: String(repeating: "x", count: 249)), .displayName),
      (.rename(first, displayName: "x", ssid: []), .ssid),
      (.authorize(first, bridgingIdentifier: 1 << 48), .bridgingIdentifier),
      (.addAddress(first, DeviceAddress(bits: 1, type: .anonymous)), .secondAddress),
      (Rows.addition(2, app: ""), .app), (Rows.addition(2, item: ""), .item),
    ]
    for (change, field) in cases {
      #expect(throws: RegistryError.invalid(field)) { try registry.apply(change) }
      #expect(registry == before, "left by halves: \(change)")
    }
  }

  @Test("A change without effect writes nothing")
  func nothingNew() throws {
    var registry = try registry(Rows.addition(1))
    #expect(try registry.apply(.setState(first, .authorized)).writes.isEmpty)
    #expect(try registry.apply(.rename(first, displayName: "Lumo 1")).writes.isEmpty)
  }

  @Test("Keys of a bond are never printed")
  func secrets() throws {
    let bond = Bond.bonded(Rows.bond())
    var text = "\(bond)"
    dump(bond, to: &text)
    #expect(!text.contains("208") && !text.contains("209") && text.contains("(key)"))
  }
}
