// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

extension DescriptorKey {
  /// What AccessorySetupKit calls it, and ``DescriptorFields`` with it.
  var field: String {
    switch self {
    case .companyIdentifier: "bluetoothCompanyIdentifier"
    case .manufacturerDataBlob: "bluetoothManufacturerDataBlob"
    case .manufacturerDataMask: "bluetoothManufacturerDataMask"
    case .serviceUUID: "bluetoothServiceUUID"
    case .serviceDataBlob: "bluetoothServiceDataBlob"
    case .serviceDataMask: "bluetoothServiceDataMask"
    case .nameSubstring: "bluetoothNameSubstring"
    case .nameCompareOptions: "bluetoothNameSubstringCompareOptions"
    case .range: "bluetoothRange"
    case .ssid: "ssid"
    case .ssidPrefix: "ssidPrefix"
    case .supportedOptions: "supportedOptions"
    }
  }
}
