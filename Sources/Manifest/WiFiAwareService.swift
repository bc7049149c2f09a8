// SPDX-License-Identifier: GPL-3.0-or-later

/// The Wi-Fi Aware part of a descriptor: the four `wifiAware…` properties of `ASDiscoveryDescriptor`.
///
/// It is carried and never searched. A descriptor that has nothing else finds no device.
public struct WiFiAwareService: Hashable, Sendable {
  /// `ASDiscoveryDescriptor.WiFiAwareServiceRole` with its raw values.
  public enum Role: Int, CaseIterable, Sendable {
    case subscriber = 10
    case publisher = 20
  }

  /// A text that a device's name is compared with: `ASPropertyCompareString`.
  public struct NameMatch: Hashable, Sendable {
    /// UTF-8, 1 to ``textBytesMax`` bytes.
    public var text: [UInt8]
    public var compareOptions: CompareOptions

    public init(text: [UInt8], compareOptions: CompareOptions = []) {
      self.text = text
      self.compareOptions = compareOptions
    }
  }

  /// What a gateway would need before it could search, as the object of a sentence.
  public static let needs =
    "wpa_supplicant newer than 2.11 built with CONFIG_NAN_USD=y, and an agent that asks it"
  /// Why nothing is found by these properties, as a sentence.
  public static let reasonNothingIsSearched =
    "nothing on a gateway searches for Wi-Fi Aware, which would need \(needs)"
  /// Why an item with these properties alone has no candidates, and what to do, as a sentence for integrators.
  public static let reasonNothingIsFound =
    "never has a candidate: \(reasonNothingIsSearched); add ssid, ssid-prefix or a Bluetooth clause"

  /// The longest service name, and the longest text of a name.
  public static let textBytesMax = 255

  /// UTF-8, 1 to ``textBytesMax`` bytes.
  public var serviceName: [UInt8]
  public var role = Role.subscriber
  public var modelName: NameMatch?
  public var vendorName: NameMatch?

  public init(serviceName: [UInt8]) { self.serviceName = serviceName }
}
