// SPDX-License-Identifier: GPL-3.0-or-later

// Made by Scripts/steps/declarations from Apple's reference; do not edit.

import AccessorySetupKit

private func same<Value: Equatable>(_ one: Value, _ other: Value) { precondition(one == other) }

private func useMembersOfASAccessory() {
  let _: KeyPath<ASAccessory, UUID?> = \.bluetoothIdentifier
  let _: KeyPath<ASAccessory, Data?> = \.bluetoothTransportBridgingIdentifier
  let _: KeyPath<ASAccessory, String?> = \.ssid
  let _: KeyPath<ASAccessory, String> = \.displayName
  let _: KeyPath<ASAccessory, ASDiscoveryDescriptor> = \.descriptor
  let _: KeyPath<ASAccessory, ASAccessory.AccessoryState> = \.state
  let _: KeyPath<ASAccessory, ASAccessory.WiFiAwarePairedDeviceID> = \.wifiAwarePairedDeviceID
}

private func useMembersOfASAccessoryAccessoryState() {
  let _: (Int) -> ASAccessory.AccessoryState? = ASAccessory.AccessoryState.init(rawValue:)
  same(ASAccessory.AccessoryState.unauthorized.rawValue, 0)
  same(ASAccessory.AccessoryState.awaitingAuthorization.rawValue, 10)
  same(ASAccessory.AccessoryState.authorized.rawValue, 20)
}

private func useMembersOfASAccessoryRenameOptions() {
  let _: (UInt) -> ASAccessory.RenameOptions = ASAccessory.RenameOptions.init(rawValue:)
  let _: ASAccessory.RenameOptions = ASAccessory.RenameOptions.ssid
  same(ASAccessory.RenameOptions.ssid.rawValue, 1)
}

private func useMembersOfASAccessorySupportOptions() {
  let _: (UInt) -> ASAccessory.SupportOptions = ASAccessory.SupportOptions.init(rawValue:)
  let _: ASAccessory.SupportOptions = ASAccessory.SupportOptions.bluetoothPairingLE
  same(ASAccessory.SupportOptions.bluetoothPairingLE.rawValue, 2)
  let _: ASAccessory.SupportOptions = ASAccessory.SupportOptions.bluetoothTransportBridging
  same(ASAccessory.SupportOptions.bluetoothTransportBridging.rawValue, 4)
  let _: ASAccessory.SupportOptions = ASAccessory.SupportOptions.bluetoothHID
  same(ASAccessory.SupportOptions.bluetoothHID.rawValue, 8)
}

private func useMembersOfASAccessoryEvent() {
  let _: KeyPath<ASAccessoryEvent, ASAccessory?> = \.accessory
  let _: KeyPath<ASAccessoryEvent, ASAccessoryEventType> = \.eventType
  let _: KeyPath<ASAccessoryEvent, (any Error)?> = \.error
}

private func useMembersOfASAccessoryEventType() {
  let _: (Int) -> ASAccessoryEventType? = ASAccessoryEventType.init(rawValue:)
  same(ASAccessoryEventType.accessoryAdded.rawValue, 30)
  same(ASAccessoryEventType.accessoryChanged.rawValue, 32)
  same(ASAccessoryEventType.accessoryRemoved.rawValue, 31)
  same(ASAccessoryEventType.activated.rawValue, 10)
  same(ASAccessoryEventType.invalidated.rawValue, 11)
  same(ASAccessoryEventType.accessoryDiscovered.rawValue, 33)
  same(ASAccessoryEventType.pickerDidPresent.rawValue, 40)
  same(ASAccessoryEventType.pickerDidDismiss.rawValue, 50)
  same(ASAccessoryEventType.pickerSetupBridging.rawValue, 60)
  same(ASAccessoryEventType.pickerSetupPairing.rawValue, 80)
  same(ASAccessoryEventType.pickerSetupFailed.rawValue, 70)
  same(ASAccessoryEventType.pickerSetupRename.rawValue, 90)
  same(ASAccessoryEventType.migrationComplete.rawValue, 20)
  same(ASAccessoryEventType.unknown.rawValue, 0)
}

private func useMembersOfASAccessorySession() {
  let _: (ASAccessorySession) -> () -> Void = ASAccessorySession.invalidate
  let _: ReferenceWritableKeyPath<ASAccessorySession, ASPickerDisplaySettings?> = \.pickerDisplaySettings
  let _: KeyPath<ASAccessorySession, [ASAccessory]> = \.accessories
  let _: () -> ASAccessorySession = ASAccessorySession.init
}

private func useMembersOfASAccessorySettings() {
  let _: ASAccessorySettings = ASAccessorySettings.default
  let _: ReferenceWritableKeyPath<ASAccessorySettings, String?> = \.ssid
  let _: ReferenceWritableKeyPath<ASAccessorySettings, Data?> = \.bluetoothTransportBridgingIdentifier
  let _: () -> ASAccessorySettings = ASAccessorySettings.init
}

private func useMembersOfASBluetoothCompanyIdentifier() {
  let _: (UInt16) -> ASBluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier.init(_:)
  let _: (UInt16) -> ASBluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier.init(rawValue:)
}

private func useMembersOfASDiscoveredAccessory() {
  let _: KeyPath<ASDiscoveredAccessory, [AnyHashable: Any]?> = \.bluetoothAdvertisementData
  let _: KeyPath<ASDiscoveredAccessory, Int?> = \.bluetoothRSSI
}

private func useMembersOfASDiscoveredDisplayItem() {
  let _: (String, UIImage, ASDiscoveredAccessory) -> ASDiscoveredDisplayItem =
    ASDiscoveredDisplayItem.init(name:productImage:accessory:)
}

private func useMembersOfASDiscoveryDescriptor() {
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, ASBluetoothCompanyIdentifier> =
    \.bluetoothCompanyIdentifier
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, Data?> = \.bluetoothManufacturerDataBlob
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, Data?> = \.bluetoothManufacturerDataMask
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, Data?> = \.bluetoothServiceDataBlob
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, Data?> = \.bluetoothServiceDataMask
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, String?> = \.bluetoothNameSubstring
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, NSString.CompareOptions> =
    \.bluetoothNameSubstringCompareOptions
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, CBUUID?> = \.bluetoothServiceUUID
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, ASDiscoveryDescriptor.Range> = \.bluetoothRange
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, String?> = \.ssid
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, String?> = \.ssidPrefix
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, ASAccessory.SupportOptions> = \.supportedOptions
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, String?> = \.wifiAwareServiceName
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, ASDiscoveryDescriptor.WiFiAwareServiceRole> =
    \.wifiAwareServiceRole
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, ASPropertyCompareString?> = \.wifiAwareModelNameMatch
  let _: ReferenceWritableKeyPath<ASDiscoveryDescriptor, ASPropertyCompareString?> =
    \.wifiAwareVendorNameMatch
  let _: () -> ASDiscoveryDescriptor = ASDiscoveryDescriptor.init
}

private func useMembersOfASDiscoveryDescriptorRange() {
  let _: (Int) -> ASDiscoveryDescriptor.Range? = ASDiscoveryDescriptor.Range.init(rawValue:)
  same(ASDiscoveryDescriptor.Range.default.rawValue, 0)
  same(ASDiscoveryDescriptor.Range.immediate.rawValue, 10)
}

private func useMembersOfASDiscoveryDescriptorWiFiAwareServiceRole() {
  same(ASDiscoveryDescriptor.WiFiAwareServiceRole.subscriber.rawValue, 10)
  same(ASDiscoveryDescriptor.WiFiAwareServiceRole.publisher.rawValue, 20)
  let _: (Int) -> ASDiscoveryDescriptor.WiFiAwareServiceRole? =
    ASDiscoveryDescriptor.WiFiAwareServiceRole.init(rawValue:)
}

private func useMembersOfASError() {
  let _: ASError.Code = ASError.activationFailed
  let _: ASError.Code = ASError.invalidated
  let _: ASError.Code = ASError.extensionNotFound
  let _: ASError.Code = ASError.invalidRequest
  let _: ASError.Code = ASError.pickerRestricted
  let _: ASError.Code = ASError.pickerAlreadyActive
  let _: ASError.Code = ASError.userCancelled
  let _: ASError.Code = ASError.userRestricted
  let _: ASError.Code = ASError.connectionFailed
  let _: ASError.Code = ASError.discoveryTimeout
  let _: ASError.Code = ASError.success
  let _: ASError.Code = ASError.unknown
  let _: String = ASError.errorDomain
}

private func useMembersOfASErrorCode() {
  same(ASError.Code.activationFailed.rawValue, 100)
  same(ASError.Code.discoveryTimeout.rawValue, 200)
  same(ASError.Code.invalidated.rawValue, 400)
  same(ASError.Code.extensionNotFound.rawValue, 300)
  same(ASError.Code.userRestricted.rawValue, 750)
  same(ASError.Code.invalidRequest.rawValue, 450)
  same(ASError.Code.pickerRestricted.rawValue, 550)
  same(ASError.Code.pickerAlreadyActive.rawValue, 500)
  same(ASError.Code.userCancelled.rawValue, 700)
  same(ASError.Code.connectionFailed.rawValue, 150)
  same(ASError.Code.success.rawValue, 0)
  same(ASError.Code.unknown.rawValue, 1)
  let _: String = ASError.Code.errorDomain
  let _: (Int) -> ASError.Code? = ASError.Code.init(rawValue:)
}

private func useMembersOfASMigrationDisplayItem() {
  let _: ReferenceWritableKeyPath<ASMigrationDisplayItem, UUID?> = \.peripheralIdentifier
  let _: ReferenceWritableKeyPath<ASMigrationDisplayItem, String?> = \.hotspotSSID
  let _: ReferenceWritableKeyPath<ASMigrationDisplayItem, ASAccessory.WiFiAwarePairedDeviceID> =
    \.wifiAwarePairedDeviceID
}

private func useMembersOfASPickerDisplayItem() {
  let _: (String, UIImage, ASDiscoveryDescriptor) -> ASPickerDisplayItem =
    ASPickerDisplayItem.init(name:productImage:descriptor:)
  let _: KeyPath<ASPickerDisplayItem, ASDiscoveryDescriptor> = \.descriptor
  let _: KeyPath<ASPickerDisplayItem, String> = \.name
  let _: KeyPath<ASPickerDisplayItem, UIImage> = \.productImage
  let _: ReferenceWritableKeyPath<ASPickerDisplayItem, ASPickerDisplayItem.SetupOptions> = \.setupOptions
  let _: ReferenceWritableKeyPath<ASPickerDisplayItem, ASAccessory.RenameOptions> = \.renameOptions
}

private func useMembersOfASPickerDisplayItemSetupOptions() {
  let _: (UInt) -> ASPickerDisplayItem.SetupOptions = ASPickerDisplayItem.SetupOptions.init(rawValue:)
  let _: ASPickerDisplayItem.SetupOptions = ASPickerDisplayItem.SetupOptions.rename
  same(ASPickerDisplayItem.SetupOptions.rename.rawValue, 1)
  let _: ASPickerDisplayItem.SetupOptions = ASPickerDisplayItem.SetupOptions.confirmAuthorization
  same(ASPickerDisplayItem.SetupOptions.confirmAuthorization.rawValue, 2)
  let _: ASPickerDisplayItem.SetupOptions = ASPickerDisplayItem.SetupOptions.finishInApp
  same(ASPickerDisplayItem.SetupOptions.finishInApp.rawValue, 4)
}

private func useMembersOfASPickerDisplaySettings() {
  let _: ASPickerDisplaySettings = ASPickerDisplaySettings.default
  let _: ReferenceWritableKeyPath<ASPickerDisplaySettings, ASPickerDisplaySettings.DiscoveryTimeout> =
    \.discoveryTimeout
  let _: ReferenceWritableKeyPath<ASPickerDisplaySettings, ASPickerDisplaySettings.Options> = \.options
  let _: () -> ASPickerDisplaySettings = ASPickerDisplaySettings.init
}

private func useMembersOfASPickerDisplaySettingsDiscoveryTimeout() {
  let _: (TimeInterval) -> ASPickerDisplaySettings.DiscoveryTimeout =
    ASPickerDisplaySettings.DiscoveryTimeout.init(_:)
  let _: (TimeInterval) -> ASPickerDisplaySettings.DiscoveryTimeout =
    ASPickerDisplaySettings.DiscoveryTimeout.init(rawValue:)
  let _: ASPickerDisplaySettings.DiscoveryTimeout = ASPickerDisplaySettings.DiscoveryTimeout.short
  same(ASPickerDisplaySettings.DiscoveryTimeout.short.rawValue, 60)
  let _: ASPickerDisplaySettings.DiscoveryTimeout = ASPickerDisplaySettings.DiscoveryTimeout.medium
  same(ASPickerDisplaySettings.DiscoveryTimeout.medium.rawValue, 120)
  let _: ASPickerDisplaySettings.DiscoveryTimeout = ASPickerDisplaySettings.DiscoveryTimeout.long
  same(ASPickerDisplaySettings.DiscoveryTimeout.long.rawValue, 300)
  let _: ASPickerDisplaySettings.DiscoveryTimeout = ASPickerDisplaySettings.DiscoveryTimeout.unbounded
  same(ASPickerDisplaySettings.DiscoveryTimeout.unbounded.rawValue, .infinity)
}

private func useMembersOfASPickerDisplaySettingsOptions() {
  let _: (UInt) -> ASPickerDisplaySettings.Options = ASPickerDisplaySettings.Options.init(rawValue:)
  let _: ASPickerDisplaySettings.Options = ASPickerDisplaySettings.Options.filterDiscoveryResults
  same(ASPickerDisplaySettings.Options.filterDiscoveryResults.rawValue, 1)
}

private func useMembersOfASPropertyCompareString() {
  let _: (String, NSString.CompareOptions) -> ASPropertyCompareString =
    ASPropertyCompareString.init(string:compareOptions:)
  let _: KeyPath<ASPropertyCompareString, String> = \.string
  let _: KeyPath<ASPropertyCompareString, NSString.CompareOptions> = \.compareOptions
}

func useAllMembers() {
  useMembersOfASAccessory()
  useMembersOfASAccessoryAccessoryState()
  useMembersOfASAccessoryRenameOptions()
  useMembersOfASAccessorySupportOptions()
  useMembersOfASAccessoryEvent()
  useMembersOfASAccessoryEventType()
  useMembersOfASAccessorySession()
  useMembersOfASAccessorySettings()
  useMembersOfASBluetoothCompanyIdentifier()
  useMembersOfASDiscoveredAccessory()
  useMembersOfASDiscoveredDisplayItem()
  useMembersOfASDiscoveryDescriptor()
  useMembersOfASDiscoveryDescriptorRange()
  useMembersOfASDiscoveryDescriptorWiFiAwareServiceRole()
  useMembersOfASError()
  useMembersOfASErrorCode()
  useMembersOfASMigrationDisplayItem()
  useMembersOfASPickerDisplayItem()
  useMembersOfASPickerDisplayItemSetupOptions()
  useMembersOfASPickerDisplaySettings()
  useMembersOfASPickerDisplaySettingsDiscoveryTimeout()
  useMembersOfASPickerDisplaySettingsOptions()
  useMembersOfASPropertyCompareString()
}

/// How many declarations these files use.
let declarationUseCount = 286
