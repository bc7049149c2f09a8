// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported public import class AccessorySetupKit.CBUUID
@_exported public import func AccessorySetupKit.CFAbsoluteTimeGetCurrent
@_exported public import typealias AccessorySetupKit.CFAbsoluteTime
@_exported public import let AccessorySetupKit.CBAdvertisementDataIsConnectable
@_exported public import let AccessorySetupKit.CBAdvertisementDataLocalNameKey
@_exported public import let AccessorySetupKit.CBAdvertisementDataManufacturerDataKey
@_exported public import let AccessorySetupKit.CBAdvertisementDataOverflowServiceUUIDsKey
@_exported public import let AccessorySetupKit.CBAdvertisementDataServiceDataKey
@_exported public import let AccessorySetupKit.CBAdvertisementDataServiceUUIDsKey
@_exported public import let AccessorySetupKit.CBAdvertisementDataSolicitedServiceUUIDsKey
@_exported public import let AccessorySetupKit.CBAdvertisementDataTxPowerLevelKey

// Keys of the options that a central manager takes, with the values that iOS has. Options about alerts on a screen and
// about restoring a terminated app are accepted and change nothing: a gateway has neither.

/// Accepted, and does nothing: a gateway shows no alert.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// Accepted, and does nothing: nothing is restored.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"

/// Whether a peripheral is reported again and again while it is received, at most twice a second (`NSNumber` with a
/// `Bool`).
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Also report peripherals that look for one of these services (`[CBUUID]`).
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

/// Accepted, and does nothing: a gateway shows no alert.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Accepted, and does nothing: a gateway shows no alert.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// Accepted, and does nothing: a gateway shows no alert.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// Seconds to wait before connecting (`NSNumber`).
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether to connect again after each loss (`NSNumber` with a `Bool`).
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// Accepted, and does nothing.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Accepted, and does nothing.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"

/// Never present: nothing is restored.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// Never present: nothing is restored.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// Never present: nothing is restored.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

// UUIDs of descriptors, as texts.

/// The descriptor with more properties.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// The descriptor with a description for users.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// The descriptor that switches notifications.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// The descriptor that switches broadcasts.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// The descriptor with the format of the value.
public let CBUUIDCharacteristicFormatString = "2904"
/// The descriptor that lists formats.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// The descriptor with the range of the value.
public let CBUUIDCharacteristicValidRangeString = "2906"
