// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported public import class AccessorySetupKit.CBUUID
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

public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"

/// Whether a peripheral is reported again and again while it is received, at most twice a second (`NSNumber` with a
/// `Bool`).
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Also report peripherals that look for one of these services (`[CBUUID]`).
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// Seconds to wait before connecting (`NSNumber`).
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether to connect again after each loss (`NSNumber` with a `Bool`).
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"

public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

// UUIDs of descriptors, as texts.

public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
public let CBUUIDCharacteristicUserDescriptionString = "2901"
public let CBUUIDClientCharacteristicConfigurationString = "2902"
public let CBUUIDServerCharacteristicConfigurationString = "2903"
public let CBUUIDCharacteristicFormatString = "2904"
public let CBUUIDCharacteristicAggregateFormatString = "2905"
public let CBUUIDCharacteristicValidRangeString = "2906"
