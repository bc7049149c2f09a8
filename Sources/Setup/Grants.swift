// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry

/// Who may use an accessory.
public enum Audience: Hashable, Sendable {
  case noSession
  /// It awaits authorization: the session that asked for it, until it is authorized or taken back.
  case session(RandomIdentifier)
  /// It is authorized: every session of its app.
  case app

  public func includes(_ session: RandomIdentifier) -> Bool { self == .app || self == .session(session) }
}

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
    /// Its item is in the manifest, and its app has the account that it had.
    public let isActive: Bool
    /// It is active and authorized.
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
  private var rhythms: [DeviceAddress: UInt32] = [:]

  init() {}

  package init(_ registry: AccessoryRegistry, _ configuration: SetupConfiguration) {
    let accounts = Dictionary(
      registry.accounts.map { ($0.app, $0.account) }, uniquingKeysWith: { first, _ in first })
    for accessory in registry.accessories {
      let device = registry.device(of: accessory)
      let status = configuration.status(of: accessory, boundTo: accounts[accessory.app])
      let grant = Grant(
        identifier: accessory.identifier, app: accessory.app, item: accessory.item, number: accessory.number,
        isActive: status == .active, isAuthorized: status == .active && accessory.state == .authorized,
        isVisible: status != .suspended)
      for address in device.addresses {
        byAddress[address.settled, default: []].append(grant)
        rhythms[address.settled] = device.rhythmMilliseconds
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

  /// The rhythm that the registry has for a device, in milliseconds; 0 for none.
  public func rhythm(at address: DeviceAddress) -> UInt32 { rhythms[address.settled] ?? 0 }

  /// Calls `body` with every accessory and the address that it advertises from, in no order.
  public func forEach(_ body: (Grant, DeviceAddress) -> Void) {
    for (address, grants) in byAddress { for grant in grants { body(grant, address) } }
  }

  /// The addresses that accessories advertise from.
  public var addresses: Set<DeviceAddress> { Set(byAddress.keys) }
}

extension DeviceAddress {
  /// Whether it was resolved from a private address; a private address is never an identity itself.
  var isResolved: Bool { type == .publicIdentity || type == .randomIdentity }
}
