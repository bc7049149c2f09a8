// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Registry

/// The accessories by the address of their device, and by the name of their network; rebuilt when the registry changes.
public struct Grants: Equatable, Sendable {
  /// An accessory on a device.
  public struct Grant: Equatable, Sendable {
    public let identifier: RandomIdentifier
    public let app: String
    /// The id of its item; nil when the app supplied the item.
    public let item: String?
    /// Its number in the registry, which names the item that the app supplied.
    public let number: Int64
    /// It is authorized, and its item is in the manifest.
    public let isAuthorized: Bool
    /// It is not hidden from its app.
    public let isVisible: Bool

    /// Whether an item of its app recognises the accessory.
    public func isRecognised(by id: String) -> Bool {
      id == item ?? AppSuppliedItem.id(ofAccessory: number) || id == AppSuppliedItem.id(ofAlternate: number)
    }
  }

  private var byAddress: [DeviceAddress: [Grant]] = [:]
  private var byNetwork: [[UInt8]: [Grant]] = [:]

  init() {}

  init(_ registry: AccessoryRegistry, _ configuration: SetupConfiguration) {
    let accounts = Dictionary(
      registry.accounts.map { ($0.app, $0.account) }, uniquingKeysWith: { first, _ in first })
    for accessory in registry.accessories {
      let device = registry.device(of: accessory)
      let status = configuration.status(of: accessory, boundTo: accounts[accessory.app])
      let grant = Grant(
        identifier: accessory.identifier, app: accessory.app, item: accessory.item, number: accessory.number,
        isAuthorized: status == .active && accessory.state == .authorized, isVisible: status != .suspended
      )
      for address in [device.identity.address, device.secondAddress].compactMap({ $0 }) {
        byAddress[address.settled, default: []].append(grant)
      }
      if let ssid = accessory.ssid { byNetwork[ssid, default: []].append(grant) }
    }
  }

  /// Returns the accessories of a device, of all apps.
  public func grants(at address: DeviceAddress) -> [Grant] { byAddress[address.settled] ?? [] }

  /// Returns the accessories of a device or a network, of all apps. A network that a device with Bluetooth has is that
  /// device's.
  public func grants(of device: DeviceIdentity) -> [Grant] {
    switch device {
    case .bluetooth(let address): grants(at: address)
    case .network(let name): byNetwork[name] ?? []
    }
  }

  /// Calls `body` with every authorized accessory and the address that it advertises from, in no order.
  public func forEachAuthorized(_ body: (Grant, DeviceAddress) -> Void) {
    for (address, grants) in byAddress {
      for grant in grants where grant.isAuthorized { body(grant, address) }
    }
  }

  /// The addresses that accessories advertise from.
  public var addresses: Set<DeviceAddress> { Set(byAddress.keys) }
}

extension DeviceAddress {
  /// Whether it was resolved from a private address; a private address is never an identity itself.
  var isResolved: Bool {
    switch type {
    case .publicIdentity, .randomIdentity: true
    case .public, .random, .anonymous: false
    }
  }
}
