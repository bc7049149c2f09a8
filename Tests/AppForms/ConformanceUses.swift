// SPDX-License-Identifier: GPL-3.0-or-later

// Made by Scripts/steps/declarations from Apple's reference; do not edit.

import AccessorySetupKit

private func needsBitwiseCopyable<Value: BitwiseCopyable>(_: Value.Type) {}
private func needsCustomDebugStringConvertible<Value: CustomDebugStringConvertible>(_: Value.Type) {}
private func needsCustomNSError<Value: CustomNSError>(_: Value.Type) {}
private func needsCustomStringConvertible<Value: CustomStringConvertible>(_: Value.Type) {}
private func needsEquatable<Value: Equatable>(_: Value.Type) {}
private func needsError<Value: Error>(_: Value.Type) {}
private func needsExpressibleByArrayLiteral<Value: ExpressibleByArrayLiteral>(_: Value.Type) {}
private func needsHashable<Value: Hashable>(_: Value.Type) {}
private func needsNSCopying<Value: NSCopying>(_: Value.Type) {}
private func needsNSObjectProtocol<Value: NSObjectProtocol>(_: Value.Type) {}
private func needsOptionSet<Value: OptionSet>(_: Value.Type) {}
private func needsRawRepresentable<Value: RawRepresentable>(_: Value.Type) {}
private func needsSendable<Value: Sendable>(_: Value.Type) {}
private func needsSetAlgebra<Value: SetAlgebra>(_: Value.Type) {}

private func useConformancesOfASAccessory() {
  needsCustomDebugStringConvertible(ASAccessory.self)
  needsCustomStringConvertible(ASAccessory.self)
  needsEquatable(ASAccessory.self)
  needsHashable(ASAccessory.self)
  needsNSObjectProtocol(ASAccessory.self)
  needsSendable(ASAccessory.self)
  let _: NSObject.Type = ASAccessory.self
}

private func useConformancesOfASAccessoryAccessoryState() {
  needsBitwiseCopyable(ASAccessory.AccessoryState.self)
  needsEquatable(ASAccessory.AccessoryState.self)
  needsHashable(ASAccessory.AccessoryState.self)
  needsRawRepresentable(ASAccessory.AccessoryState.self)
  needsSendable(ASAccessory.AccessoryState.self)
}

private func useConformancesOfASAccessoryRenameOptions() {
  needsBitwiseCopyable(ASAccessory.RenameOptions.self)
  needsEquatable(ASAccessory.RenameOptions.self)
  needsExpressibleByArrayLiteral(ASAccessory.RenameOptions.self)
  needsOptionSet(ASAccessory.RenameOptions.self)
  needsRawRepresentable(ASAccessory.RenameOptions.self)
  needsSendable(ASAccessory.RenameOptions.self)
  needsSetAlgebra(ASAccessory.RenameOptions.self)
}

private func useConformancesOfASAccessorySupportOptions() {
  needsBitwiseCopyable(ASAccessory.SupportOptions.self)
  needsEquatable(ASAccessory.SupportOptions.self)
  needsExpressibleByArrayLiteral(ASAccessory.SupportOptions.self)
  needsOptionSet(ASAccessory.SupportOptions.self)
  needsRawRepresentable(ASAccessory.SupportOptions.self)
  needsSendable(ASAccessory.SupportOptions.self)
  needsSetAlgebra(ASAccessory.SupportOptions.self)
}

private func useConformancesOfASAccessoryEvent() {
  needsCustomDebugStringConvertible(ASAccessoryEvent.self)
  needsCustomStringConvertible(ASAccessoryEvent.self)
  needsEquatable(ASAccessoryEvent.self)
  needsHashable(ASAccessoryEvent.self)
  needsNSObjectProtocol(ASAccessoryEvent.self)
  needsSendable(ASAccessoryEvent.self)
  let _: NSObject.Type = ASAccessoryEvent.self
}

private func useConformancesOfASAccessoryEventType() {
  needsBitwiseCopyable(ASAccessoryEventType.self)
  needsEquatable(ASAccessoryEventType.self)
  needsHashable(ASAccessoryEventType.self)
  needsRawRepresentable(ASAccessoryEventType.self)
  needsSendable(ASAccessoryEventType.self)
}

private func useConformancesOfASAccessorySession() {
  needsCustomDebugStringConvertible(ASAccessorySession.self)
  needsCustomStringConvertible(ASAccessorySession.self)
  needsEquatable(ASAccessorySession.self)
  needsHashable(ASAccessorySession.self)
  needsNSObjectProtocol(ASAccessorySession.self)
  needsSendable(ASAccessorySession.self)
  let _: NSObject.Type = ASAccessorySession.self
}

private func useConformancesOfASAccessorySettings() {
  needsCustomDebugStringConvertible(ASAccessorySettings.self)
  needsCustomStringConvertible(ASAccessorySettings.self)
  needsEquatable(ASAccessorySettings.self)
  needsHashable(ASAccessorySettings.self)
  needsNSObjectProtocol(ASAccessorySettings.self)
  needsSendable(ASAccessorySettings.self)
  let _: NSObject.Type = ASAccessorySettings.self
}

private func useConformancesOfASBluetoothCompanyIdentifier() {
  needsBitwiseCopyable(ASBluetoothCompanyIdentifier.self)
  needsEquatable(ASBluetoothCompanyIdentifier.self)
  needsHashable(ASBluetoothCompanyIdentifier.self)
  needsRawRepresentable(ASBluetoothCompanyIdentifier.self)
  needsSendable(ASBluetoothCompanyIdentifier.self)
}

private func useConformancesOfASDiscoveredAccessory() {
  needsCustomDebugStringConvertible(ASDiscoveredAccessory.self)
  needsCustomStringConvertible(ASDiscoveredAccessory.self)
  needsEquatable(ASDiscoveredAccessory.self)
  needsHashable(ASDiscoveredAccessory.self)
  needsNSObjectProtocol(ASDiscoveredAccessory.self)
  needsSendable(ASDiscoveredAccessory.self)
  let _: ASAccessory.Type = ASDiscoveredAccessory.self
}

private func useConformancesOfASDiscoveredDisplayItem() {
  needsCustomDebugStringConvertible(ASDiscoveredDisplayItem.self)
  needsCustomStringConvertible(ASDiscoveredDisplayItem.self)
  needsEquatable(ASDiscoveredDisplayItem.self)
  needsHashable(ASDiscoveredDisplayItem.self)
  needsNSObjectProtocol(ASDiscoveredDisplayItem.self)
  needsSendable(ASDiscoveredDisplayItem.self)
  let _: ASPickerDisplayItem.Type = ASDiscoveredDisplayItem.self
}

private func useConformancesOfASDiscoveryDescriptor() {
  needsCustomDebugStringConvertible(ASDiscoveryDescriptor.self)
  needsCustomStringConvertible(ASDiscoveryDescriptor.self)
  needsEquatable(ASDiscoveryDescriptor.self)
  needsHashable(ASDiscoveryDescriptor.self)
  needsNSObjectProtocol(ASDiscoveryDescriptor.self)
  needsSendable(ASDiscoveryDescriptor.self)
  needsNSCopying(ASDiscoveryDescriptor.self)
  let _: NSObject.Type = ASDiscoveryDescriptor.self
}

private func useConformancesOfASDiscoveryDescriptorRange() {
  needsBitwiseCopyable(ASDiscoveryDescriptor.Range.self)
  needsEquatable(ASDiscoveryDescriptor.Range.self)
  needsHashable(ASDiscoveryDescriptor.Range.self)
  needsRawRepresentable(ASDiscoveryDescriptor.Range.self)
  needsSendable(ASDiscoveryDescriptor.Range.self)
}

private func useConformancesOfASDiscoveryDescriptorWiFiAwareServiceRole() {
  needsBitwiseCopyable(ASDiscoveryDescriptor.WiFiAwareServiceRole.self)
  needsEquatable(ASDiscoveryDescriptor.WiFiAwareServiceRole.self)
  needsHashable(ASDiscoveryDescriptor.WiFiAwareServiceRole.self)
  needsRawRepresentable(ASDiscoveryDescriptor.WiFiAwareServiceRole.self)
  needsSendable(ASDiscoveryDescriptor.WiFiAwareServiceRole.self)
}

private func useConformancesOfASError() {
  needsCustomNSError(ASError.self)
  needsEquatable(ASError.self)
  needsError(ASError.self)
  needsHashable(ASError.self)
  needsSendable(ASError.self)
}

private func useConformancesOfASErrorCode() {
  needsBitwiseCopyable(ASError.Code.self)
  needsEquatable(ASError.Code.self)
  needsHashable(ASError.Code.self)
  needsRawRepresentable(ASError.Code.self)
  needsSendable(ASError.Code.self)
}

private func useConformancesOfASMigrationDisplayItem() {
  needsCustomDebugStringConvertible(ASMigrationDisplayItem.self)
  needsCustomStringConvertible(ASMigrationDisplayItem.self)
  needsEquatable(ASMigrationDisplayItem.self)
  needsHashable(ASMigrationDisplayItem.self)
  needsNSObjectProtocol(ASMigrationDisplayItem.self)
  needsSendable(ASMigrationDisplayItem.self)
  let _: ASPickerDisplayItem.Type = ASMigrationDisplayItem.self
}

private func useConformancesOfASPickerDisplayItem() {
  needsCustomDebugStringConvertible(ASPickerDisplayItem.self)
  needsCustomStringConvertible(ASPickerDisplayItem.self)
  needsEquatable(ASPickerDisplayItem.self)
  needsHashable(ASPickerDisplayItem.self)
  needsNSObjectProtocol(ASPickerDisplayItem.self)
  needsSendable(ASPickerDisplayItem.self)
  let _: NSObject.Type = ASPickerDisplayItem.self
}

private func useConformancesOfASPickerDisplayItemSetupOptions() {
  needsBitwiseCopyable(ASPickerDisplayItem.SetupOptions.self)
  needsEquatable(ASPickerDisplayItem.SetupOptions.self)
  needsExpressibleByArrayLiteral(ASPickerDisplayItem.SetupOptions.self)
  needsOptionSet(ASPickerDisplayItem.SetupOptions.self)
  needsRawRepresentable(ASPickerDisplayItem.SetupOptions.self)
  needsSendable(ASPickerDisplayItem.SetupOptions.self)
  needsSetAlgebra(ASPickerDisplayItem.SetupOptions.self)
}

private func useConformancesOfASPickerDisplaySettings() {
  needsCustomDebugStringConvertible(ASPickerDisplaySettings.self)
  needsCustomStringConvertible(ASPickerDisplaySettings.self)
  needsEquatable(ASPickerDisplaySettings.self)
  needsHashable(ASPickerDisplaySettings.self)
  needsNSObjectProtocol(ASPickerDisplaySettings.self)
  needsSendable(ASPickerDisplaySettings.self)
  needsNSCopying(ASPickerDisplaySettings.self)
  let _: NSObject.Type = ASPickerDisplaySettings.self
}

private func useConformancesOfASPickerDisplaySettingsDiscoveryTimeout() {
  needsBitwiseCopyable(ASPickerDisplaySettings.DiscoveryTimeout.self)
  needsEquatable(ASPickerDisplaySettings.DiscoveryTimeout.self)
  needsHashable(ASPickerDisplaySettings.DiscoveryTimeout.self)
  needsRawRepresentable(ASPickerDisplaySettings.DiscoveryTimeout.self)
  needsSendable(ASPickerDisplaySettings.DiscoveryTimeout.self)
}

private func useConformancesOfASPickerDisplaySettingsOptions() {
  needsBitwiseCopyable(ASPickerDisplaySettings.Options.self)
  needsEquatable(ASPickerDisplaySettings.Options.self)
  needsExpressibleByArrayLiteral(ASPickerDisplaySettings.Options.self)
  needsOptionSet(ASPickerDisplaySettings.Options.self)
  needsRawRepresentable(ASPickerDisplaySettings.Options.self)
  needsSendable(ASPickerDisplaySettings.Options.self)
  needsSetAlgebra(ASPickerDisplaySettings.Options.self)
}

private func useConformancesOfASPropertyCompareString() {
  needsCustomDebugStringConvertible(ASPropertyCompareString.self)
  needsCustomStringConvertible(ASPropertyCompareString.self)
  needsEquatable(ASPropertyCompareString.self)
  needsHashable(ASPropertyCompareString.self)
  needsNSObjectProtocol(ASPropertyCompareString.self)
  needsSendable(ASPropertyCompareString.self)
  needsNSCopying(ASPropertyCompareString.self)
  let _: NSObject.Type = ASPropertyCompareString.self
}

func useAllConformances() {
  useConformancesOfASAccessory()
  useConformancesOfASAccessoryAccessoryState()
  useConformancesOfASAccessoryRenameOptions()
  useConformancesOfASAccessorySupportOptions()
  useConformancesOfASAccessoryEvent()
  useConformancesOfASAccessoryEventType()
  useConformancesOfASAccessorySession()
  useConformancesOfASAccessorySettings()
  useConformancesOfASBluetoothCompanyIdentifier()
  useConformancesOfASDiscoveredAccessory()
  useConformancesOfASDiscoveredDisplayItem()
  useConformancesOfASDiscoveryDescriptor()
  useConformancesOfASDiscoveryDescriptorRange()
  useConformancesOfASDiscoveryDescriptorWiFiAwareServiceRole()
  useConformancesOfASError()
  useConformancesOfASErrorCode()
  useConformancesOfASMigrationDisplayItem()
  useConformancesOfASPickerDisplayItem()
  useConformancesOfASPickerDisplayItemSetupOptions()
  useConformancesOfASPickerDisplaySettings()
  useConformancesOfASPickerDisplaySettingsDiscoveryTimeout()
  useConformancesOfASPickerDisplaySettingsOptions()
  useConformancesOfASPropertyCompareString()
}
