// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import Interfaces
import JSON

/// An accessory of the app: a snapshot that never changes.
///
/// As on iOS, `==` compares objects. A session has one object for an accessory until the accessory changes; compare
/// ``bluetoothIdentifier`` or ``ssid`` to recognise it afterwards.
open class ASAccessory: NSObject, @unchecked Sendable {
  /// Whether the app may use an accessory.
  @nonexhaustive public enum AccessoryState: Int, Sendable, BitwiseCopyable {
    /// The app may not use it: its item is not in the manifest now.
    case unauthorized = 0
    /// An operator chose it, and the app has to confirm it.
    case awaitingAuthorization = 10
    /// The app may use it.
    case authorized = 20
  }

  /// How an accessory connects.
  public struct SupportOptions: OptionSet, Sendable, BitwiseCopyable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// It pairs over Bluetooth Low Energy.
    public static var bluetoothPairingLE: SupportOptions { SupportOptions(rawValue: 1 << 1) }
    /// Its pairing covers Bluetooth Classic too.
    public static var bluetoothTransportBridging: SupportOptions { SupportOptions(rawValue: 1 << 2) }
    /// It is an input device.
    public static var bluetoothHID: SupportOptions { SupportOptions(rawValue: 1 << 3) }
  }

  /// What a new name changes.
  public struct RenameOptions: OptionSet, Sendable, BitwiseCopyable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The stored name of the network changes too.
    public static var ssid: RenameOptions { RenameOptions(rawValue: 1 << 0) }
  }

  /// The type of an identifier that Wi-Fi Aware gives to a paired device.
  public typealias WiFiAwarePairedDeviceID = UInt64

  package let line: AppAccessoryLine
  private let ownDescriptor: ASDiscoveryDescriptor

  package init(_ line: AppAccessoryLine, descriptor: ASDiscoveryDescriptor? = nil) {
    self.line = line
    ownDescriptor = descriptor ?? ASDiscoveryDescriptor(line.descriptor)
  }

  /// Whether the app may use the accessory.
  open var state: AccessoryState { AccessoryState(rawValue: line.state) ?? .unauthorized }

  /// Random, and known to this app alone.
  open var bluetoothIdentifier: UUID? {
    guard let bytes = line.bluetoothIdentifier.flatMap({ Hex(digits: $0) })?.bytes, bytes.count == 16 else {
      return nil
    }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// The device's name; the same for all apps that share the device.
  open var displayName: String { line.displayName }
  /// The name of the accessory's network; nil without a network.
  open var ssid: String? { line.ssid?.repaired }
  /// How the accessory was recognised.
  open var descriptor: ASDiscoveryDescriptor { ownDescriptor }
  /// The address for Bluetooth Classic: six bytes, most significant first.
  open var bluetoothTransportBridgingIdentifier: Data? {
    line.bluetoothTransportBridgingIdentifier.map { Data($0) }
  }
  /// What an ``ASMigrationDisplayItem`` said that Wi-Fi Aware calls the device; 0 for none. A gateway pairs nothing by
  /// Wi-Fi Aware.
  open var wifiAwarePairedDeviceID: WiFiAwarePairedDeviceID {
    line.wifiAwarePairedDeviceID.flatMap { UInt64($0) } ?? 0
  }

  open override var description: String { "\(displayName) (\(state), \(line.identifier))" }

  open override var debugDescription: String { description }
}

/// An accessory that a picker with `filterDiscoveryResults` found. It is valid within its picker only.
open class ASDiscoveredAccessory: ASAccessory, @unchecked Sendable {
  package let number: UInt32
  private let payload: [UInt8]
  private let rssi: Int?
  private let isConnectable: Bool?

  package init(
    _ line: AppAccessoryLine, descriptor: ASDiscoveryDescriptor, number: UInt32, payload: [UInt8], rssi: Int?,
    isConnectable: Bool?
  ) {
    self.number = number
    self.payload = payload
    self.rssi = rssi
    self.isConnectable = isConnectable
    super.init(line, descriptor: descriptor)
  }

  /// What the device advertises, by the `CBAdvertisementData…` keys; nil for a network, which has an
  /// ``ASAccessory/ssid`` instead.
  open var bluetoothAdvertisementData: [AnyHashable: Any]? {
    ssid != nil ? nil : AdvertisementDictionary(payload, isConnectable: isConnectable).values
  }

  /// dBm; nil for a network.
  open var bluetoothRSSI: Int? { rssi }
}

/// What an app learned about an accessory that awaits authorization.
open class ASAccessorySettings: NSObject, @unchecked Sendable {
  /// The full name of the accessory's network.
  open var ssid: String?
  /// Six bytes, most significant first.
  open var bluetoothTransportBridgingIdentifier: Data?

  /// Makes empty settings.
  public override init() {}

  /// New, empty settings.
  open class var `default`: ASAccessorySettings { ASAccessorySettings() }
}
