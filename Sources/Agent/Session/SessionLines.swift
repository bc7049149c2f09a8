// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Registry
import Setup
import Varlink

// The values of an app's session as ``SessionInterface`` carries them.

extension AppAccessoryLine {
  init(_ accessory: AppAccessory) {
    self.init(
      identifier: accessory.identifier.text, displayName: accessory.displayName,
      state: accessory.state.rawValue, item: accessory.item, descriptor: DescriptorLine(accessory.descriptor),
      alternate: accessory.alternate.map { DescriptorLine($0) },
      bluetoothIdentifier: accessory.bluetoothIdentifier?.text, ssid: accessory.ssid.map { AirText($0) },
      bluetoothTransportBridgingIdentifier: accessory.bridgingIdentifier.map(Self.sixBytes),
      wifiAwarePairedDeviceID: accessory.wifiAwarePairedDeviceID.map(String.init),
      bond: accessory.bond, isIdentityDurable: accessory.isIdentityDurable)
  }

  /// Most significant first.
  private static func sixBytes(of number: UInt64) -> [UInt8] {
    stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }
}

extension DescriptorLine {
  init(_ descriptor: DiscoveryDescriptor) {
    self.init(
      bluetoothCompanyIdentifier: descriptor.companyIdentifier,
      bluetoothManufacturerDataBlob: descriptor.manufacturerData?.blob,
      bluetoothManufacturerDataMask: descriptor.manufacturerData?.mask,
      bluetoothServiceUUID: descriptor.serviceUUID?.text,
      bluetoothServiceDataBlob: descriptor.serviceData?.blob,
      bluetoothServiceDataMask: descriptor.serviceData?.mask,
      bluetoothNameSubstring: descriptor.nameSubstring.map { String(decoding: $0, as: UTF8.self) },
      bluetoothNameSubstringCompareOptions: Int(descriptor.nameCompareOptions.rawValue),
      bluetoothRange: descriptor.range.rawValue, ssid: descriptor.ssid.map { AirText($0) },
      ssidPrefix: descriptor.ssidPrefix.map { String(decoding: $0, as: UTF8.self) },
      supportedOptions: Int(descriptor.supportedOptions.rawValue))
    if let service = descriptor.wifiAware {
      wifiAwareServiceName = String(decoding: service.serviceName, as: UTF8.self)
      wifiAwareServiceRole = service.role.rawValue
      wifiAwareModelNameMatch = service.modelName.map { CompareString($0) }
      wifiAwareVendorNameMatch = service.vendorName.map { CompareString($0) }
    }
  }
}

extension DescriptorLine.CompareString {
  fileprivate init(_ match: WiFiAwareService.NameMatch) {
    self.init(
      string: String(decoding: match.text, as: UTF8.self), compareOptions: Int(match.compareOptions.rawValue))
  }
}

extension AppEventLine {
  /// `sequence` is the event's number; `activated` has none and carries the next one.
  init(_ event: AppEvent, sequence: UInt64, passed: Int = 0, epoch: String) {
    self.init(
      sequence: sequence, passed: passed, epoch: epoch, time: Seconds(microseconds: event.time.microseconds),
      event: event.kind.type?.name ?? "pickerFinished", eventType: event.kind.type?.rawValue,
      picker: event.picker?.text)
    switch event.kind {
    case .accessoryAdded(let accessory), .accessoryRemoved(let accessory):
      self.accessory = AppAccessoryLine(accessory)
    case .accessoryChanged(let accessory, let changed):
      self.accessory = AppAccessoryLine(accessory)
      self.changed = changed.map(\.rawValue)
    case .accessoryDiscovered(let discovered): self.discovered = DiscoveredLine(discovered)
    case .invalidated(let failure), .pickerSetupFailed(let failure): error = FailureLine(failure)
    case .pickerFinished(let failure): error = failure.map { FailureLine($0) }
    case .activated, .migrationComplete, .pickerDidPresent, .pickerDidDismiss, .pickerSetupBridging,
      .pickerSetupPairing, .pickerSetupRename:
      break
    }
  }
}

extension DiscoveredLine {
  fileprivate init(_ discovered: DiscoveredAccessory) {
    let (ssid, report) = (discovered.ssid.map { AirText($0) }, discovered.report)
    self.init(
      discovered: discovered.number, itemIndex: discovered.itemIndex, item: discovered.item?.id,
      descriptor: (discovered.item?.descriptor.visibleToApps).map { DescriptorLine($0) },
      connectable: ssid == nil ? report.isConnectable : nil,
      time: Seconds(microseconds: report.time.microseconds),
      bluetoothAdvertisementData: ssid == nil ? report.payload : nil,
      bluetoothRSSI: ssid == nil ? report.rssi : nil, ssid: ssid, signal: ssid == nil ? nil : report.rssi)
  }
}

extension FailureLine {
  init(_ failure: SetupError) {
    self.init(
      code: failure.code.rawValue, name: failure.code.name, field: failure.field.map(GatewayError.cut),
      reason: GatewayError.cut(failure.reason), cure: GatewayError.cut(failure.cure))
  }
}

extension SetupError {
  private var errorName: SessionErrorName {
    switch code {
    case .success: preconditionFailure("a success is no error")
    case .unknown: .unknown
    case .activationFailed: .activationFailed
    case .connectionFailed: .connectionFailed
    case .discoveryTimeout: .discoveryTimeout
    case .extensionNotFound: .extensionNotFound
    case .invalidated: .invalidated
    case .invalidRequest: .invalidRequest
    case .pickerAlreadyActive: .pickerAlreadyActive
    case .pickerRestricted: .pickerRestricted
    case .userCancelled: .userCancelled
    case .userRestricted: .userRestricted
    }
  }

  /// The message that refuses a call.
  var message: [UInt8] {
    let line = SessionErrorLine(
      code: code.rawValue, field: field.map(GatewayError.cut), reason: GatewayError.cut(reason),
      cure: GatewayError.cut(cure))
    return Message.error(errorName.rawValue) { line.writeMembers(to: &$0) }
  }
}
