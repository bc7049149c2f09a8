// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import JSON

/// An item of a picker, as the app supplies it: `Item` of `io.accessoryd.Session`.
public struct RequestedItem: Equatable, Line {
  /// What names an accessory that the app knew before: `ASMigrationDisplayItem`.
  public struct Migration: Equatable, Sendable {
    public var bluetoothIdentifier: String?
    public var ssid: String?
    /// nil for none. On the wire it is a string, because it does not fit below 2^53.
    public var wifiAwarePairedDeviceID: UInt64?

    public init(bluetoothIdentifier: String?, ssid: String?) {
      self.bluetoothIdentifier = bluetoothIdentifier
      self.ssid = ssid
    }
  }

  public var name: String
  public var productImage: String?
  public var descriptor: DescriptorLine
  public var setupOptions: UInt
  public var renameOptions: UInt
  public var migration: Migration?

  public init(
    name: String, productImage: String?, descriptor: DescriptorLine, setupOptions: UInt, renameOptions: UInt,
    migration: Migration? = nil
  ) {
    self.name = name
    self.productImage = productImage
    self.descriptor = descriptor
    self.setupOptions = setupOptions
    self.renameOptions = renameOptions
    self.migration = migration
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("name", name)
    if let productImage { json.member("productImage", productImage) }
    json.object("descriptor", descriptor)
    if setupOptions != 0 { json.member("setupOptions", UInt64(setupOptions)) }
    if renameOptions != 0 { json.member("renameOptions", UInt64(renameOptions)) }
    guard let migration else { return }
    json.object("migrate") { json in
      if let identifier = migration.bluetoothIdentifier { json.member("bluetoothIdentifier", identifier) }
      if let ssid = migration.ssid { json.member("ssid", ssid) }
      if let id = migration.wifiAwarePairedDeviceID { json.member("wifiAwarePairedDeviceID", String(id)) }
    }
  }
}

/// The settings of a picker: `Settings` of `io.accessoryd.Session`.
public struct RequestedSettings: Equatable, Line {
  /// nil for the default of 30 s.
  public var discoveryTimeout: String?
  public var options: UInt

  public init(discoveryTimeout: String?, options: UInt) {
    self.discoveryTimeout = discoveryTimeout
    self.options = options
  }

  public func writeMembers(to json: inout JSONWriter) {
    if let discoveryTimeout { json.member("discoveryTimeout", discoveryTimeout) }
    if options != 0 { json.member("options", UInt64(options)) }
  }
}

/// A device that a filtered picker shows: `DiscoveredItem` of `io.accessoryd.Session`.
public struct ShownDevice: Equatable, Sendable {
  /// The parameters that an agent of the first version does not accept.
  static let newParameters = ["setupOptions", "renameOptions", "supportedOptions"]

  public var discovered: UInt32
  public var name: String?
  public var productImage: String?
  public var setupOptions: UInt
  public var renameOptions: UInt
  public var supportedOptions: UInt

  public init(
    discovered: UInt32, name: String?, productImage: String?, setupOptions: UInt = 0, renameOptions: UInt = 0,
    supportedOptions: UInt = 0
  ) {
    self.discovered = discovered
    self.name = name
    self.productImage = productImage
    self.setupOptions = setupOptions
    self.renameOptions = renameOptions
    self.supportedOptions = supportedOptions
  }

  func write(to json: inout JSONWriter, isReduced: Bool) {
    json.member("discovered", discovered)
    if let name { json.member("name", name) }
    if let productImage { json.member("productImage", productImage) }
    guard !isReduced else { return }
    for (name, options) in zip(Self.newParameters, [setupOptions, renameOptions, supportedOptions])
    where options != 0 {
      json.member(name, UInt64(options))
    }
  }
}

/// A device that a filtered picker found.
public struct DiscoveredDevice: Equatable, Sendable {
  /// What the agent says about it.
  public var line: DiscoveredLine
  /// The picker that found it.
  public var picker: String
  /// The item that it matches, when the app supplied it.
  public var item: RequestedItem?

  init(_ line: DiscoveredLine, picker: String, item: RequestedItem?) {
    self.line = line
    self.picker = picker
    self.item = item
  }
}
