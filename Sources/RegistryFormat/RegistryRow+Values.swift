// SPDX-License-Identifier: GPL-3.0-or-later

package import Registry

extension RegistryRow {
  /// Creates the row that has these values.
  package init(_ values: RowValues, of table: RegistryTable) throws(ColumnError) {
    let number = try values.required("number", values.integer("number"))
    switch table {
    case .account: self = .account(try RegistryAccount(values, number))
    case .device: self = .device(try RegistryDevice(values, number))
    case .accessory: self = .accessory(try RegistryAccessory(values, number))
    case .tombstone: self = .tombstone(try RegistryTombstone(values, number))
    case .former: self = .former(try FormerIdentifier(values, number))
    case .bondRemoval: self = .bondRemoval(try BondRemoval(values, number))
    }
  }

  package var values: RowValues {
    var values = RowValues()
    switch self {
    case .account(let account): account.write(to: &values)
    case .device(let device): device.write(to: &values)
    case .accessory(let accessory): accessory.write(to: &values)
    case .tombstone(let tombstone): tombstone.write(to: &values)
    case .former(let former): former.write(to: &values)
    case .bondRemoval(let removal): values.setAddress(removal.address, "address", type: "addressType")
    }
    values.setInteger(number, "number")
    return values
  }
}

extension RegistryAccount {
  fileprivate init(_ values: RowValues, _ number: Int64) throws(ColumnError) {
    let user = try values.integer("user", as: UInt32.self)
    let group = try values.integer("group", as: UInt32.self)
    let account: AccountID
    switch (user, group) {
    case (let user?, nil): account = .user(user)
    case (nil, let group?): account = .group(group)
    case (nil, nil), (_?, _?): throw ColumnError(column: "group")
    }
    self.init(number: number, app: try values.required("app", values.text("app")), account: account)
  }

  fileprivate func write(to values: inout RowValues) {
    values["app"] = .text(app)
    switch account {
    case .user(let user): values["user"] = .integer(Int64(user))
    case .group(let group): values["group"] = .integer(Int64(group))
    }
  }
}

extension RegistryDevice {
  fileprivate init(_ values: RowValues, _ number: Int64) throws(ColumnError) {
    self.init(
      number: number, identity: try values.identity(),
      displayName: try values.required("displayName", values.text("displayName")),
      isIdentityDurable: try values.required(
        "identityDurable", [0: false, 1: true][values.integer("identityDurable") ?? -1]))
    secondAddress = try values.address("secondAddress", type: "secondAddressType")
    bond = try Bond(values)
    rhythmMilliseconds = try values.integer("rhythmMilliseconds", as: UInt32.self)
  }

  fileprivate func write(to values: inout RowValues) {
    values.setIdentity(identity)
    values.setAddress(secondAddress, "secondAddress", type: "secondAddressType")
    values["displayName"] = .text(displayName)
    values["identityDurable"] = .integer(isIdentityDurable ? 1 : 0)
    bond.write(to: &values)
    values.setInteger(rhythmMilliseconds.map(Int64.init), "rhythmMilliseconds")
  }
}

extension Bond {
  /// "bonded" or "lost" of the gateway, "foreign" or "foreignLost" of bluetoothd. A bond without its keys comes from an
  /// export without keys, or from an older file; the gateway's is lost then.
  fileprivate init(_ values: RowValues) throws(ColumnError) {
    let bytes = try values.bytes("bondKeys")
    let byteCount = try values.integer("bondKeyByteCount", as: UInt8.self)
    func record(_ owner: BondOwner) throws(ColumnError) -> BondRecord {
      let known = try values.optional("bondKeys", bytes) { BondRecord($0, owner: owner) }
      var record = known ?? BondRecord(owner: owner, isAuthenticated: false)
      record.foreignKeyByteCount = byteCount
      guard record.isStorable else { throw ColumnError(column: "bondKeyByteCount") }
      return record
    }
    switch (try values.text("bond"), bytes) {
    case ("none", nil):
      guard byteCount == nil else { throw ColumnError(column: "bondKeyByteCount") }
      self = .none
    case ("bonded", _?): self = .bonded(try record(.gateway))
    case ("lost", _): self = .lost(try record(.gateway))
    case ("foreign", _): self = .bonded(try record(.bluetoothd))
    case ("foreignLost", _): self = .lost(try record(.bluetoothd))
    default: throw ColumnError(column: "bond")
    }
  }

  fileprivate func write(to values: inout RowValues) {
    values["bond"] = .text(text)
    guard let record else { return }
    values["bondKeys"] = .bytes(record.bytes)
    values.setInteger(record.foreignKeyByteCount.map(Int64.init), "bondKeyByteCount")
  }

  private var text: String {
    switch (self, record?.owner) {
    case (.bonded, .gateway?): "bonded"
    case (.bonded, .bluetoothd?): "foreign"
    case (.lost, .gateway?): "lost"
    case (.lost, .bluetoothd?): "foreignLost"
    case (.none, _), (_, nil): "none"
    }
  }
}

extension RegistryAccessory {
  fileprivate init(_ values: RowValues, _ number: Int64) throws(ColumnError) {
    self.init(
      number: number, identifier: try values.required("identifier", values.identifier("identifier")),
      app: try values.required("app", values.text("app")),
      descriptor: try values.required("descriptorRange", values.descriptor("descriptor")),
      device: try values.required("device", values.integer("device")),
      state: try values.required(
        "state", values.optional("state", values.integer("state", as: Int.self), AccessoryState.init)))
    item = try values.text("item")
    alternate = try values.descriptor("alternate")
    bluetoothIdentifier = try values.identifier("bluetoothIdentifier")
    ssid = try values.bytes("ssid")
    bridgingIdentifier = try values.bits("bridgingIdentifier")
    addedAt = try values.integer("addedAt")
    wifiAwarePairedDeviceID = try values.bits("wifiAwarePairedDeviceID", byteCount: 8)
  }

  fileprivate func write(to values: inout RowValues) {
    values["identifier"] = .bytes(identifier.bytes)
    values["app"] = .text(app)
    values["item"] = item.map(Value.text) ?? .null
    values["device"] = .integer(device)
    values.setBytes(bluetoothIdentifier?.bytes, "bluetoothIdentifier")
    values["state"] = .integer(Int64(state.rawValue))
    values.setBytes(ssid, "ssid")
    values.setBits(bridgingIdentifier, "bridgingIdentifier")
    values.setInteger(addedAt, "addedAt")
    values.setBits(wifiAwarePairedDeviceID, "wifiAwarePairedDeviceID", byteCount: 8)
    values.setDescriptor(descriptor, "descriptor")
    values.setDescriptor(alternate, "alternate")
  }
}

extension RegistryTombstone {
  fileprivate init(_ values: RowValues, _ number: Int64) throws(ColumnError) {
    self.init(
      number: number, app: try values.required("app", values.text("app")),
      item: try values.required("item", values.text("item")), identity: try values.identity(),
      secondAddress: try values.address("secondAddress", type: "secondAddressType"))
  }

  fileprivate func write(to values: inout RowValues) {
    values["app"] = .text(app)
    values["item"] = .text(item)
    values.setIdentity(identity)
    values.setAddress(secondAddress, "secondAddress", type: "secondAddressType")
  }
}

extension FormerIdentifier {
  fileprivate init(_ values: RowValues, _ number: Int64) throws(ColumnError) {
    self.init(
      number: number, app: try values.required("app", values.text("app")),
      bluetoothIdentifier: try values.required(
        "bluetoothIdentifier", values.identifier("bluetoothIdentifier")),
      address: try values.required("address", values.address("address", type: "addressType")))
  }

  fileprivate func write(to values: inout RowValues) {
    values["app"] = .text(app)
    values.setBytes(bluetoothIdentifier.bytes, "bluetoothIdentifier")
    values.setAddress(address, "address", type: "addressType")
  }
}

extension BondRemoval {
  fileprivate init(_ values: RowValues, _ number: Int64) throws(ColumnError) {
    self.init(
      number: number,
      address: try values.required("address", values.address("address", type: "addressType")))
  }
}
