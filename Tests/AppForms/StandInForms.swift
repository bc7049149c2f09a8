// SPDX-License-Identifier: GPL-3.0-or-later

// The stand-ins for UIKit and CoreBluetooth, and what only a gateway has.

import AccessorySetupKit

let systemColors: [UIColor] = [
  .black, .blue, .brown, .clear, .cyan, .darkGray, .gray, .green, .lightGray, .magenta, .orange, .purple,
  .red,
  .white, .yellow, .label, .secondaryLabel, .systemBlue, .systemBrown, .systemCyan, .systemGray, .systemGreen,
  .systemIndigo, .systemMint, .systemOrange, .systemPink, .systemPurple, .systemRed, .systemTeal,
  .systemYellow,
  .tintColor,
]

/// Images as apps make them.
func images() -> [UIImage] {
  let configuration = UIImage.SymbolConfiguration(pointSize: 40, weight: .regular)
  let images = [
    UIImage(), UIImage(named: "dice"), UIImage(systemName: "dice"), UIImage(contentsOfFile: "dice.png"),
    UIImage(data: Data()), UIImage(systemName: "dice", withConfiguration: configuration),
    UIImage(systemName: "dice", withConfiguration: UIImage.SymbolConfiguration(pointSize: 20)),
    UIImage(systemName: "dice", withConfiguration: UIImage.SymbolConfiguration(weight: .bold)),
    UIImage(systemName: "dice")?.withTintColor(.label, renderingMode: .alwaysOriginal),
    UIImage(named: "dice")?.withRenderingMode(.alwaysTemplate),
    UIImage(systemName: "dice")?.withConfiguration(configuration),
  ]
  return images.compactMap { $0 }.filter { $0.size == .zero }
}

/// The keys of an advertisement, with Apple's values.
let advertisementKeys = [
  CBAdvertisementDataLocalNameKey: "kCBAdvDataLocalName",
  CBAdvertisementDataManufacturerDataKey: "kCBAdvDataManufacturerData",
  CBAdvertisementDataServiceDataKey: "kCBAdvDataServiceData",
  CBAdvertisementDataServiceUUIDsKey: "kCBAdvDataServiceUUIDs",
  CBAdvertisementDataOverflowServiceUUIDsKey: "kCBAdvDataHashedServiceUUIDs",
  CBAdvertisementDataSolicitedServiceUUIDsKey: "kCBAdvDataSolicitedServiceUUIDs",
  CBAdvertisementDataTxPowerLevelKey: "kCBAdvDataTxPowerLevel",
  CBAdvertisementDataIsConnectable: "kCBAdvDataIsConnectable",
]

/// What only a gateway's session has.
func useGateway(_ accessory: ASAccessory) async throws {
  let session = ASAccessorySession(
    gateway: ASGateway(socketPath: "/run/accessoryd/io.accessoryd", app: "dice"))
  session.radioStateHandler = { state in print(state == .on ? "on" : state.rawValue) }
  session.activate(on: .main) { print($0) }
  print(
    session.radioState, accessory.bond == .lost, accessory.isIdentityDurable, accessory.manifestItem ?? "")
  let address = try await session.address(of: accessory)
  print(address.address, address.isRandom)
  for try await advertisement in session.advertisements() where advertisement.isInSight {
    print(
      advertisement.accessory, advertisement.rssi ?? 0, advertisement.filteredRSSI ?? 0, advertisement.data)
  }
  try await session.cancelPicker()
}
