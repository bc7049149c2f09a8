// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How an accessory is recognised. Every property that is set must hold.
open class ASDiscoveryDescriptor: NSObject, NSCopying, @unchecked Sendable {
  @nonexhaustive public enum Range: Int, Sendable, BitwiseCopyable {
    case `default` = 0
    /// At the gateway.
    case immediate = 10
  }

  @nonexhaustive public enum WiFiAwareServiceRole: Int, Sendable, BitwiseCopyable {
    case subscriber = 10
    case publisher = 20
  }

  open var supportedOptions: ASAccessory.SupportOptions = []
  /// 0 means that it is not set.
  open var bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(0)
  /// Compared with what follows the company identifier, under the mask.
  open var bluetoothManufacturerDataBlob: Data?
  open var bluetoothManufacturerDataMask: Data?
  open var bluetoothNameSubstring: String?
  open var bluetoothNameSubstringCompareOptions: NSString.CompareOptions = []
  open var bluetoothRange = Range.default
  /// Compared with what follows the service's UUID, under the mask.
  open var bluetoothServiceDataBlob: Data?
  open var bluetoothServiceDataMask: Data?
  @NSCopying open var bluetoothServiceUUID: CBUUID?
  open var ssid: String?
  /// Not together with ``ssid``.
  open var ssidPrefix: String?
  /// No gateway has Wi-Fi Aware: an item with one of these properties is refused.
  open var wifiAwareServiceName: String?
  open var wifiAwareServiceRole = WiFiAwareServiceRole.subscriber
  @NSCopying open var wifiAwareModelNameMatch: ASPropertyCompareString?
  @NSCopying open var wifiAwareVendorNameMatch: ASPropertyCompareString?

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
  public var rawValue: UInt16

  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A string that a Wi-Fi Aware property is compared with.
open class ASPropertyCompareString: NSObject, NSCopying, @unchecked Sendable {
  private let text: String
  private let options: NSString.CompareOptions

  public init(string: String, compareOptions: NSString.CompareOptions = []) {
    text = string
    options = compareOptions
  }

  open var string: String { text }
  open var compareOptions: NSString.CompareOptions { options }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ASPropertyCompareString else { return false }
    return other.text == text && other.options == options
  }

  open override var hash: Int { text.hashValue }
}
