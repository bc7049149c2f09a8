// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How an accessory is recognised. Every property that is set must hold.
open class ASDiscoveryDescriptor: NSObject, NSCopying, @unchecked Sendable {
  /// How near an accessory must be.
  @nonexhaustive public enum Range: Int, Sendable, BitwiseCopyable {
    /// Anywhere in reach.
    case `default` = 0
    /// At the gateway.
    case immediate = 10
  }

  /// The part that an accessory plays in a Wi-Fi Aware service.
  @nonexhaustive public enum WiFiAwareServiceRole: Int, Sendable, BitwiseCopyable {
    /// It looks for the service.
    case subscriber = 10
    /// It offers the service.
    case publisher = 20
  }

  /// How the accessory connects.
  open var supportedOptions: ASAccessory.SupportOptions = []
  /// 0 means that it is not set.
  open var bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(0)
  /// Compared with what follows the company identifier, under the mask.
  open var bluetoothManufacturerDataBlob: Data?
  /// As long as the data: the bits that count. nil for all.
  open var bluetoothManufacturerDataMask: Data?
  /// Part of the name that the accessory advertises.
  open var bluetoothNameSubstring: String?
  /// How the name is compared: `caseInsensitive`, `literal`, `backwards` and `anchored` are accepted.
  open var bluetoothNameSubstringCompareOptions: NSString.CompareOptions = []
  /// How near the accessory must be.
  open var bluetoothRange = Range.default
  /// Compared with what follows the service's UUID, under the mask.
  open var bluetoothServiceDataBlob: Data?
  /// As long as the data: the bits that count. nil for all.
  open var bluetoothServiceDataMask: Data?
  /// A service that the accessory advertises.
  @NSCopying open var bluetoothServiceUUID: CBUUID?
  /// The full name of the accessory's network.
  open var ssid: String?
  /// Not together with ``ssid``.
  open var ssidPrefix: String?
  /// The accessory's Wi-Fi Aware service. The gateway keeps the four Wi-Fi Aware properties and returns them with the
  /// accessory, and searches for none of them: an item without other properties never finds an accessory.
  open var wifiAwareServiceName: String?
  /// See ``wifiAwareServiceName``.
  open var wifiAwareServiceRole = WiFiAwareServiceRole.subscriber
  /// See ``wifiAwareServiceName``.
  @NSCopying open var wifiAwareModelNameMatch: ASPropertyCompareString?
  /// See ``wifiAwareServiceName``.
  @NSCopying open var wifiAwareVendorNameMatch: ASPropertyCompareString?

  /// Makes a descriptor without properties, which recognises nothing.
  public override init() {}

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = ASDiscoveryDescriptor()
    copy.supportedOptions = supportedOptions
    copy.bluetoothCompanyIdentifier = bluetoothCompanyIdentifier
    copy.bluetoothManufacturerDataBlob = bluetoothManufacturerDataBlob
    copy.bluetoothManufacturerDataMask = bluetoothManufacturerDataMask
    copy.bluetoothNameSubstring = bluetoothNameSubstring
    copy.bluetoothNameSubstringCompareOptions = bluetoothNameSubstringCompareOptions
    copy.bluetoothRange = bluetoothRange
    copy.bluetoothServiceDataBlob = bluetoothServiceDataBlob
    copy.bluetoothServiceDataMask = bluetoothServiceDataMask
    copy.bluetoothServiceUUID = bluetoothServiceUUID
    copy.ssid = ssid
    copy.ssidPrefix = ssidPrefix
    copy.wifiAwareServiceName = wifiAwareServiceName
    copy.wifiAwareServiceRole = wifiAwareServiceRole
    copy.wifiAwareModelNameMatch = wifiAwareModelNameMatch
    copy.wifiAwareVendorNameMatch = wifiAwareVendorNameMatch
    return copy
  }
}

/// A company identifier that the Bluetooth SIG assigned.
public struct ASBluetoothCompanyIdentifier: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number.
  public var rawValue: UInt16

  /// Takes the number.
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  /// Takes the number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A string that a Wi-Fi Aware property is compared with.
open class ASPropertyCompareString: NSObject, NSCopying, @unchecked Sendable {
  private let text: String
  private let options: NSString.CompareOptions

  /// Takes the text, and how it is compared.
  public init(string: String, compareOptions: NSString.CompareOptions = []) {
    text = string
    options = compareOptions
  }

  /// The text.
  open var string: String { text }
  /// How the text is compared.
  open var compareOptions: NSString.CompareOptions { options }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ASPropertyCompareString else { return false }
    return other.text == text && other.options == options
  }

  open override var hash: Int { text.hashValue }
}
