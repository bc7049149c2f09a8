// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit

#if canImport(UIKit)
  import UIKit
#endif

/// A device of the user, however it was found.
struct Device: Identifiable, Equatable {
  let id: UUID
  let model: DeviceModel
  var name: String
}

/// What the app can handle.
enum DeviceModel: CaseIterable {
  case bulb, dice

  static let bulbCompany: UInt16 = 0x0EEE
  /// The bytes with which the maker's bulbs begin; strips and other models have others.
  static let bulbPrefix = Data([0xA5, 0x5A])
  static let diceService = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")

  var name: String {
    switch self {
    case .bulb: return "Lumo bulb"
    case .dice: return "Dice"
    }
  }

  /// For the picker.
  var displayItem: ASPickerDisplayItem {
    let descriptor = ASDiscoveryDescriptor()
    switch self {
    case .bulb:
      descriptor.bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(Self.bulbCompany)
      descriptor.bluetoothManufacturerDataBlob = Self.bulbPrefix
      descriptor.bluetoothManufacturerDataMask = Data([0xFF, 0xFF])
    case .dice: descriptor.bluetoothServiceUUID = Self.diceService
    }
    let item = ASPickerDisplayItem(
      name: name, productImage: UIImage(named: name) ?? UIImage(), descriptor: descriptor)
    item.setupOptions = [.rename]
    return item
  }

  /// The model of an accessory, by the descriptor that recognised it.
  init?(_ descriptor: ASDiscoveryDescriptor) {
    if descriptor.bluetoothServiceUUID == Self.diceService {
      self = .dice
    } else if descriptor.bluetoothCompanyIdentifier.rawValue == Self.bulbCompany {
      self = .bulb
    } else {
      return nil
    }
  }

  /// The model of a device, by what it advertises.
  init?(advertisementData: [String: Any]) {
    let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data ?? Data()
    let company = Data([UInt8(Self.bulbCompany & 0xFF), UInt8(Self.bulbCompany >> 8)])
    if services.contains(Self.diceService) {
      self = .dice
    } else if data.starts(with: company + Self.bulbPrefix) {
      self = .bulb
    } else {
      return nil
    }
  }
}
