// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Manifest
public import Registry

/// Values for registries in tests; `n` makes each one different.
public enum Rows {
  public static func identifier(_ n: UInt64) -> RandomIdentifier {
    RandomIdentifier(high: 0x1D00_0000_0000_0000 | n, low: ~n)
  }

  /// A static random address.
  public static func address(_ n: UInt64) -> DeviceAddress {
    DeviceAddress(bits: 0xC0DE_0000_0000 | n, type: .random)
  }

  /// A descriptor with every clause except that of a network.
  public static var descriptor: DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = 0x0EEE
    descriptor.manufacturerData = MaskedBytes(blob: [0xA5, 0x5A, 0, 0x10], mask: [0xFF, 0xFF, 0, 0xF0])
    descriptor.serviceUUID = BluetoothUUID(short: 0xFE0F)
    descriptor.serviceData = MaskedBytes(blob: [1, 2])
    descriptor.nameSubstring = Array("Lumo".utf8)
    descriptor.nameCompareOptions = [.caseInsensitive, .anchored]
    descriptor.range = .immediate
    descriptor.supportedOptions = .bluetoothPairingLE
    return descriptor
  }

  /// A key whose sixteen bytes differ.
  public static func key(_ n: UInt8) -> KeyValue {
    guard let key = KeyValue((0..<16).map { n &* 16 &+ $0 }) else { preconditionFailure("it has 16 bytes") }
    return key
  }

  /// A bond of the gateway with a long term key and an identity key.
  public static func bond(_ n: UInt8 = 13, isAuthenticated: Bool = true) -> BondRecord {
    var keys = BondKeys()
    keys.longTermKeys = [
      LongTermKey(
        kind: isAuthenticated ? 3 : 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: key(n))
    ]
    keys.identityKey = key(n &+ 1)
    return BondRecord(owner: .gateway, isAuthenticated: isAuthenticated, keys: keys)
  }

  /// A bond of which bluetoothd has the keys.
  public static let foreignBond = BondRecord(owner: .bluetoothd, isAuthenticated: false)

  public static var networkDescriptor: DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.ssidPrefix = Array("Cam-".utf8)
    return descriptor
  }

  /// A Wi-Fi Aware service with every property.
  public static var wifiAwareService: WiFiAwareService {
    var service = WiFiAwareService(serviceName: Array("_cam".utf8))
    service.role = .publisher
    service.modelName = .init(text: Array("M".utf8), compareOptions: .caseInsensitive)
    service.vendorName = .init(text: Array("V".utf8))
    return service
  }

  /// A registry whose one accessory has every value of Wi-Fi Aware.
  public static var wifiAwareRegistry: AccessoryRegistry {
    get throws {
      var registry = AccessoryRegistry()
      try registry.apply(networkAddition(1))
      let rows = registry.rows.map { row -> RegistryRow in
        guard case .accessory(var accessory) = row else { return row }
        accessory.descriptor.wifiAware = wifiAwareService
        accessory.alternate = DiscoveryDescriptor()
        accessory.alternate?.wifiAware = WiFiAwareService(serviceName: Array("a".utf8))
        accessory.wifiAwarePairedDeviceID = 0xFEDC_BA98_7654_3210
        return .accessory(accessory)
      }
      return try AccessoryRegistry(rows)
    }
  }

  /// Accessory `n` of an app, on device `device`.
  public static func addition(
    _ n: UInt64, app: String = "lights", item: String? = "bulb", device: UInt64? = nil
  ) -> RegistryChange {
    var addition = RegistryAddition(
      app: app, account: .user(1000), descriptor: descriptor, identity: .bluetooth(address(device ?? n)),
      identifier: identifier(2 * n), bluetoothIdentifier: identifier(2 * n + 1), displayName: "Lumo \(n)")
    addition.item = item
    addition.addedAt = 1_700_000_000 + Int64(n)
    return .add(addition)
  }

  /// An addition for a migration, with the Bluetooth identifier that the app had.
  public static func readdition(
    _ n: UInt64, app: String = "lights", device: UInt64? = nil, as former: RandomIdentifier? = nil
  ) -> RegistryAddition {
    guard case .add(var addition) = addition(n, app: app, device: device) else {
      preconditionFailure("an addition adds")
    }
    addition.bluetoothIdentifier = former ?? addition.bluetoothIdentifier
    return addition
  }

  /// Accessory `n` of an app, with only a network.
  public static func networkAddition(_ n: UInt64, app: String = "cameras") -> RegistryChange {
    var addition = RegistryAddition(
      app: app, account: .group(44), descriptor: networkDescriptor, identity: .network(ssid(n)),
      identifier: identifier(2 * n), bluetoothIdentifier: identifier(2 * n + 1), displayName: "Camera \(n)")
    addition.state = .awaitingAuthorization
    return .add(addition)
  }

  /// Not UTF-8.
  public static func ssid(_ n: UInt64) -> [UInt8] { Array("Cam-\(n)".utf8) + [0xFF] }
}
