// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a picker looks for, and how it shows what it found.
open class ASPickerDisplayItem: NSObject, @unchecked Sendable {
  /// What an item asks of a setup.
  public struct SetupOptions: OptionSet, Sendable, BitwiseCopyable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An operator types the accessory's name.
    public static var rename: SetupOptions { SetupOptions(rawValue: 1 << 0) }
    /// The app has to confirm the accessory.
    public static var confirmAuthorization: SetupOptions { SetupOptions(rawValue: 1 << 1) }
    /// The operator reads that setup continues in the app.
    public static var finishInApp: SetupOptions { SetupOptions(rawValue: 1 << 2) }
  }

  private let ownName: String
  private let ownImage: UIImage
  private let ownDescriptor: ASDiscoveryDescriptor

  /// Copies the descriptor.
  public init(name: String, productImage: UIImage, descriptor: ASDiscoveryDescriptor) {
    ownName = name
    ownImage = productImage
    ownDescriptor = descriptor.copy() as? ASDiscoveryDescriptor ?? descriptor
  }

  /// The name that operators see.
  open var name: String { ownName }
  /// A gateway has no screen: operators see the image's name.
  open var productImage: UIImage { ownImage }
  /// The item's own copy, always the same object.
  open var descriptor: ASDiscoveryDescriptor { ownDescriptor }
  /// What the item asks of a setup.
  open var setupOptions: SetupOptions = []
  /// Has an effect only when ``setupOptions`` contains `rename`.
  open var renameOptions: ASAccessory.RenameOptions = []
}

/// An accessory that the app had before, or that BlueZ knows. Operators agree to it; it need not be found again.
///
/// The ``ASPickerDisplayItem/descriptor`` has to be one that the manifest declares, as in any other item.
open class ASMigrationDisplayItem: ASPickerDisplayItem, @unchecked Sendable {
  /// Names the device, in one of two ways.
  ///
  /// - The `bluetoothIdentifier` that this app had for a device that was removed, or whose item was renamed. The gateway keeps
  ///   the last 256 of removed devices.
  /// - `00000000-0000-0000-0000-AABBCCDDEEFF`: the device that BlueZ knows at the address AA:BB:CC:DD:EE:FF. Where it knows a
  ///   public and a random device with this address, the call fails with ``ASError/Code/invalidRequest``.
  open var peripheralIdentifier: UUID?
  /// The full name of a network, for which the descriptor has `ssid` or `ssidPrefix`. Alone it names an accessory that is
  /// found by its network; beside ``peripheralIdentifier``, the network of that device.
  open var hotspotSSID: String?
  /// What Wi-Fi Aware calls the device, for a descriptor with `wifiAwareServiceName`; 0 for none. The gateway keeps it
  /// with the accessory. Alone it names no device, and the call fails with ``ASError/Code/invalidRequest``.
  open var wifiAwarePairedDeviceID: ASAccessory.WiFiAwarePairedDeviceID = 0
}

/// How a picker with `filterDiscoveryResults` shows a device that it found.
open class ASDiscoveredDisplayItem: ASPickerDisplayItem, @unchecked Sendable {
  let accessory: ASDiscoveredAccessory

  /// Takes the name and the image that operators see, and the device.
  public init(name: String, productImage: UIImage, accessory: ASDiscoveredAccessory) {
    self.accessory = accessory
    super.init(name: name, productImage: productImage, descriptor: accessory.descriptor)
  }
}

/// The settings of a picker.
open class ASPickerDisplaySettings: NSObject, NSCopying, @unchecked Sendable {
  /// Seconds until a picker that found nothing ends.
  public struct DiscoveryTimeout: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The seconds; infinity for no end.
    public var rawValue: TimeInterval

    /// Takes the seconds.
    public init(_ rawValue: TimeInterval) { self.rawValue = rawValue }

    /// Takes the seconds.
    public init(rawValue: TimeInterval) { self.rawValue = rawValue }

    /// A minute.
    public static let short = DiscoveryTimeout(60)
    /// Two minutes.
    public static let medium = DiscoveryTimeout(120)
    /// Five minutes.
    public static let long = DiscoveryTimeout(300)
    /// Only the app or an operator ends the picker.
    public static let unbounded = DiscoveryTimeout(.infinity)
  }

  /// What a picker does differently.
  public struct Options: OptionSet, Sendable, BitwiseCopyable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app decides which devices the picker shows.
    public static var filterDiscoveryResults: Options { Options(rawValue: 1 << 0) }
  }

  /// Makes settings with the defaults: 30 s, without options.
  public override init() {}

  /// New settings: 30 s, without options.
  open class var `default`: ASPickerDisplaySettings { ASPickerDisplaySettings() }

  /// When a picker that found nothing ends.
  open var discoveryTimeout = DiscoveryTimeout(30)
  /// What the picker does differently.
  open var options: Options = []

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = ASPickerDisplaySettings()
    copy.discoveryTimeout = discoveryTimeout
    copy.options = options
    return copy
  }
}
