// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
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
      bridgingIdentifier: accessory.bridgingIdentifier.map(Self.sixBytes),
      bond: AccessoryLine.Bond(accessory.bond), isIdentityDurable: accessory.isIdentityDurable)
    wifiAwarePairedDeviceID = accessory.wifiAwarePairedDeviceID
  }

  /// Most significant first.
  private static func sixBytes(of number: UInt64) -> [UInt8] {
    stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }
}

extension AccessoryLine.Bond {
  init(_ bond: AppAccessory.BondState) {
    switch bond {
    case .none: self = .none
    case .bonded: self = .bonded
    case .lost: self = .lost
    }
  }
}

extension DescriptorLine {
  init(_ descriptor: DiscoveryDescriptor) {
    self.init()
    companyIdentifier = descriptor.companyIdentifier
    manufacturerData = descriptor.manufacturerData.map { MaskedBytes(blob: $0.blob, mask: $0.mask) }
    serviceUUID = descriptor.serviceUUID?.text
    serviceData = descriptor.serviceData.map { MaskedBytes(blob: $0.blob, mask: $0.mask) }
    nameSubstring = descriptor.nameSubstring.map { String(decoding: $0, as: UTF8.self) }
    nameCompareOptions = Int(descriptor.nameCompareOptions.rawValue)
    range = descriptor.range.rawValue
    ssid = descriptor.ssid.map { AirText($0) }
    ssidPrefix = descriptor.ssidPrefix.map { String(decoding: $0, as: UTF8.self) }
    if let service = descriptor.wifiAware {
      wifiAwareServiceName = String(decoding: service.serviceName, as: UTF8.self)
      wifiAwareServiceRole = service.role.rawValue
      wifiAwareModelNameMatch = service.modelName.map { CompareString($0) }
      wifiAwareVendorNameMatch = service.vendorName.map { CompareString($0) }
    }
    supportedOptions = Int(descriptor.supportedOptions.rawValue)
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
      sequence: sequence, epoch: epoch, time: Seconds(microseconds: event.time.microseconds),
      event: event.kind.type?.name ?? "pickerFinished", eventType: event.kind.type?.rawValue)
    self.passed = passed
    picker = event.picker?.text
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
    self.init(
      discovered: discovered.number, itemIndex: discovered.itemIndex, item: discovered.item?.id,
      payload: discovered.report.payload, rssi: discovered.report.rssi)
    ssid = discovered.ssid.map { AirText($0) }
    descriptor = (discovered.item?.descriptor.visibleToApps).map { DescriptorLine($0) }
    if ssid == nil { isConnectable = discovered.report.isConnectable }
    time = Seconds(microseconds: discovered.report.time.microseconds)
  }
}

extension FailureLine {
  init(_ failure: SetupError, isNamed: Bool = true) {
    self.init(
      code: failure.code.rawValue, name: isNamed ? failure.code.name : nil, field: failure.field,
      reason: failure.reason, cure: failure.cure)
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
    Message.error(errorName.rawValue) { FailureLine(self, isNamed: false).writeMembers(to: &$0) }
  }
}
