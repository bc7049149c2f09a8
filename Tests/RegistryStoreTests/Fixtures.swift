// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxSystem
import Registry
import RegistrySupport
import ToolSystem

/// Files that earlier versions wrote.
enum Fixtures {
  private static let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")

  static func bytes(_ name: String) throws -> [UInt8] {
    try FileContents(reading: "/\(folder)/Fixtures/\(name)", byteCountMax: 1 << 20).bytes
  }

  /// The contents of the fixture of a version. Version 1 had no former identifiers, version 3 no removals of bonds,
  /// version 4 no sizes of bluetoothd's keys, and version 5 no rhythms.
  static func registry(_ version: Int) throws -> AccessoryRegistry {
    switch version {
    case 1: try registryOne()
    case 3: try registryOfBond()
    default: try registryFour()
    }
  }

  /// Two apps, one device with a bond, and a former identifier.
  static func registryOfBond() throws -> AccessoryRegistry {
    var registry = AccessoryRegistry()
    for change in [
      Rows.networkAddition(1), Rows.addition(2, item: nil),
      .setBond(Rows.identifier(4), .bonded(Rows.bond())), Rows.addition(3),
      .remove(Rows.identifier(6), leavesTombstone: false),
    ] { try registry.apply(change) }
    return registry
  }

  private static func registryFour() throws -> AccessoryRegistry {
    var registry = try Rows.wifiAwareRegistry
    for change in [
      Rows.addition(2), .setBond(Rows.identifier(4), .bonded(Rows.foreignBond)),
      .addBondRemoval(Rows.address(9)),
    ] { try registry.apply(change) }
    return registry
  }

  private static func registryOne() throws -> AccessoryRegistry {
    var registry = AccessoryRegistry()
    for scenario in [Scenario.all[1], Scenario.all[9], Scenario.all[11], Scenario.all[13]] {
      if registry == AccessoryRegistry() { registry = try scenario.registryBefore() }
      try registry.apply(scenario.change)
    }
    return try AccessoryRegistry(registry.rows.filter { $0.table != .former })
  }

  /// Writes a file that only its owner may use.
  static func write(_ bytes: [UInt8], to path: String) throws {
    try DurableFile.create(path)
    var file = try OutputFile.create(path: path, replacing: true)
    try file.write(bytes)
    try file.flush()
  }
}
