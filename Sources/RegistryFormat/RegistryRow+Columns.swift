// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
package import Registry

extension RegistryRow {
  /// Creates the row that has these values, in the order of the table's columns.
  package init(_ values: [Value], of table: RegistryTable) throws(ColumnError) {
    self = table.blank
    var coder = RowCoder(reading: values)
    pass(&coder)
    if let error = coder.error { throw error }
  }

  /// In the order of the table's columns.
  package var values: [Value] { RowCoder(writing: self).values }

  mutating func pass(_ coder: inout RowCoder) {
    switch self {
    case .account(let row): self = .account(row.passed(&coder))
    case .device(let row): self = .device(row.passed(&coder))
    case .accessory(let row): self = .accessory(row.passed(&coder))
    case .tombstone(let row): self = .tombstone(row.passed(&coder))
    case .former(let row): self = .former(row.passed(&coder))
    case .bondRemoval(let row): self = .bondRemoval(row.passed(&coder))
    }
  }
}

extension RegistryTable {
  /// A row to read into.
  var blank: RegistryRow {
    let address = DeviceAddress(bits: 0, type: .public)
    let identifier = RandomIdentifier(high: 0, low: 0)
    return switch self {
    case .account: .account(RegistryAccount(number: 0, app: "", account: .user(0)))
    case .device:
      .device(
        RegistryDevice(
          number: 0, identity: .bluetooth(address), displayName: "", isIdentityDurable: false))
    case .accessory:
      .accessory(
        RegistryAccessory(
          number: 0, identifier: identifier, app: "", descriptor: DiscoveryDescriptor(), device: 0,
          state: .unauthorized))
    case .tombstone:
      .tombstone(RegistryTombstone(number: 0, app: "", item: "", identity: .bluetooth(address)))
    case .former:
      .former(FormerIdentifier(number: 0, app: "", bluetoothIdentifier: identifier, address: address))
    case .bondRemoval: .bondRemoval(BondRemoval(number: 0, address: address))
    }
  }
}

/// A row that names its columns.
private protocol CodedRow: NumberedRow {
  /// Passes the columns after the number, in the order of the table.
  mutating func pass(_ coder: inout RowCoder)
}

extension CodedRow {
  fileprivate func passed(_ coder: inout RowCoder) -> Self {
    var row = self
    coder.column("number", &row.number)
    row.pass(&coder)
    return row
  }
}

extension RegistryAccount: CodedRow {
  fileprivate mutating func pass(_ coder: inout RowCoder) {
    var (user, group): (UInt32?, UInt32?) =
      switch account {
      case .user(let user): (user, nil)
      case .group(let group): (nil, group)
      }
    coder.column("app", &app)
    coder.column("user", &user)
    coder.column("group", &group)
    account = coder.either(user.map(AccountID.user), group.map(AccountID.group), "group") ?? account
  }
}

extension RegistryDevice: CodedRow {
  fileprivate mutating func pass(_ coder: inout RowCoder) {
    var durable: UInt8 = isIdentityDurable ? 1 : 0
    coder.identity(&identity)
    coder.address("secondAddress", &secondAddress)
    coder.column("displayName", &displayName)
    coder.column("identityDurable", &durable)
    coder.bond(&bond)
    coder.column("rhythmMilliseconds", &rhythmMilliseconds, addedIn: 6)
    isIdentityDurable = durable == 1
    if durable > 1 { coder.fail("identityDurable") }
  }
}

extension RowCoder {
  /// Passes "bonded" or "lost" for a bond of the gateway, "foreign" or "foreignLost" for one of bluetoothd, and its keys.
  /// A bond without its keys comes from an export without keys, or from an older file; the gateway's is lost then.
  fileprivate mutating func bond(_ bond: inout Bond) {
    var (text, bytes) = (bond.columnText, bond.record?.bytes)
    var byteCount = bond.record?.foreignKeyByteCount
    column("bond", &text)
    column("bondKeys", &bytes, isSecret: true)
    column("bondKeyByteCount", &byteCount, addedIn: 5)
    switch (text, bytes) {
    case ("none", nil):
      bond = .none
      if byteCount != nil { fail("bondKeyByteCount") }
    case ("bonded", _?): bond = .bonded(record(of: .gateway, bytes, byteCount))
    case ("lost", _): bond = .lost(record(of: .gateway, bytes, byteCount))
    case ("foreign", _): bond = .bonded(record(of: .bluetoothd, bytes, byteCount))
    case ("foreignLost", _): bond = .lost(record(of: .bluetoothd, bytes, byteCount))
    default: fail("bond")
    }
  }

  private mutating func record(of owner: BondOwner, _ bytes: [UInt8]?, _ byteCount: UInt8?) -> BondRecord {
    let unknown = BondRecord(owner: owner, isAuthenticated: false)
    let stored = bytes.map { BondRecord($0, owner: owner) } ?? unknown
    if stored == nil { fail("bondKeys") }
    var record = stored ?? unknown
    record.foreignKeyByteCount = byteCount
    if !record.isStorable { fail("bondKeyByteCount") }
    return record
  }
}

extension Bond {
  fileprivate var columnText: String {
    guard let record else { return "none" }
    return switch record.owner {
    case .gateway: isBonded ? "bonded" : "lost"
    case .bluetoothd: isBonded ? "foreign" : "foreignLost"
    }
  }
}

extension RegistryAccessory: CodedRow {
  fileprivate mutating func pass(_ coder: inout RowCoder) {
    var found: DiscoveryDescriptor? = descriptor
    coder.column("identifier", &identifier)
    coder.column("app", &app)
    coder.column("item", &item)
    coder.column("device", &device)
    coder.column("bluetoothIdentifier", &bluetoothIdentifier)
    coder.column("state", &state)
    coder.column("ssid", &ssid)
    coder.bits("bridgingIdentifier", &bridgingIdentifier)
    coder.column("addedAt", &addedAt)
    coder.descriptor("descriptor", &found)
    coder.descriptor("alternate", &alternate)
    coder.bits(
      "wifiAwarePairedDeviceID", &wifiAwarePairedDeviceID, byteCount: 8, addedIn: 4)
    coder.wifiAware("descriptorWiFiAware", of: &found)
    coder.wifiAware("alternateWiFiAware", of: &alternate)
    if let found { descriptor = found } else { coder.fail("descriptorRange") }
  }
}

extension RegistryTombstone: CodedRow {
  fileprivate mutating func pass(_ coder: inout RowCoder) {
    coder.column("app", &app)
    coder.column("item", &item)
    coder.identity(&identity)
    coder.address("secondAddress", &secondAddress)
  }
}

extension FormerIdentifier: CodedRow {
  fileprivate mutating func pass(_ coder: inout RowCoder) {
    coder.column("app", &app)
    coder.column("bluetoothIdentifier", &bluetoothIdentifier)
    coder.address(&address)
  }
}

extension BondRemoval: CodedRow {
  fileprivate mutating func pass(_ coder: inout RowCoder) { coder.address(&address) }
}
