// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// A package of its own, as an app author writes it. Outside of this repository, `url:` and `exact:` stand in place of
// `path:`.

import PackageDescription

let package = Package(
  name: "lock",
  dependencies: [.package(name: "accessory-gateway", path: "../../..")],
  targets: [
    .executableTarget(
      name: "lock",
      dependencies: [
        .product(name: "AccessorySetupKit", package: "accessory-gateway"),
        .product(name: "AccessoryCoreBluetooth", package: "accessory-gateway"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
