// SPDX-License-Identifier: GPL-3.0-or-later

extension GatewayManifest {
  /// Whether a descriptor needs scan responses: what `scan = "auto"` asks.
  ///
  /// Any structure may stand in a scan response; names and service UUIDs are what devices usually keep for it, so that a
  /// descriptor with one of them might never be met by listening alone. A device that sends the data of its company or
  /// service only when it is asked wants `scan = "active"`.
  public var needsScanResponses: Bool { items.contains(where: \.needsScanResponses) }
}

extension ManifestItem {
  /// Whether one of its descriptors needs them.
  public var needsScanResponses: Bool {
    item.descriptor.needsScanResponse || item.alternate?.needsScanResponse == true
  }
}

extension DiscoveryDescriptor {
  /// Whether it has a clause that devices often meet in their scan response only. Service data tells its UUID by itself.
  fileprivate var needsScanResponse: Bool {
    nameSubstring != nil || (serviceUUID != nil && serviceData == nil)
  }
}
