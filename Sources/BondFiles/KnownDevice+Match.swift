// SPDX-License-Identifier: GPL-3.0-or-later

public import BlueZ
import Discovery
import HCI
public import Manifest

extension KnownDevice {
  /// How a descriptor fits what BlueZ knows of a device.
  public enum Match: Sendable {
    case holds
    /// No clause fails, but BlueZ does not have what one of them asks for.
    case unknown
    case fails
  }

  /// Compares the device with a descriptor. The range is left out: nothing is received here.
  public func match(_ descriptor: DiscoveryDescriptor) -> Match {
    guard descriptor.hasBluetoothClause else { return .fails }
    let matches = [
      companyMatch(descriptor), serviceMatch(descriptor), nameMatch(descriptor), addressMatch(descriptor),
    ]
    if matches.contains(.fails) { return .fails }
    return matches.contains(.unknown) ? .unknown : .holds
  }

  private func companyMatch(_ descriptor: DiscoveryDescriptor) -> Match {
    guard let company = descriptor.companyIdentifier else { return .holds }
    guard !manufacturerData.isEmpty else { return .unknown }
    guard let data = manufacturerData[company] else { return .fails }
    return descriptor.manufacturerData.map { $0.holds(data) ? .holds : .fails } ?? .holds
  }

  private func serviceMatch(_ descriptor: DiscoveryDescriptor) -> Match {
    guard let service = descriptor.serviceUUID else { return .holds }
    if let blob = descriptor.serviceData {
      return serviceData[service].map { blob.holds($0) ? .holds : .fails } ?? .unknown
    }
    if serviceUUIDs.contains(service) || serviceData[service] != nil { return .holds }
    return serviceUUIDs.isEmpty && serviceData.isEmpty ? .unknown : .fails
  }

  private func nameMatch(_ descriptor: DiscoveryDescriptor) -> Match {
    guard let wanted = descriptor.nameSubstring else { return .holds }
    guard let name else { return .unknown }
    let holds = NameClause.matches(
      Array(name.utf8).span.rawBytes, wanted.span.rawBytes,
      NameOptions(rawValue: UInt32(descriptor.nameCompareOptions.rawValue)))
    return holds ? .holds : .fails
  }

  private func addressMatch(_ descriptor: DiscoveryDescriptor) -> Match {
    guard let prefix = descriptor.addressPrefix else { return .holds }
    return address.lifetime == .durable && prefix.begins(address.bits) ? .holds : .fails
  }
}
