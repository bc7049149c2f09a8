// SPDX-License-Identifier: GPL-3.0-or-later

/// How much a registry holds. What would go beyond is refused; of tombstones the oldest gives way.
public enum RegistryLimits {
  public static let accessoriesMax = 2_048
  public static let tombstonesMax = 1_024
  /// The numbers that rows may have: what JSON holds exactly.
  public static let numberMax: Int64 = 1 << 53 - 1
  /// Of app names, item ids, and names of devices (Core Specification 5.4, Volume 4, Part E, 6.23, has 248).
  public static let textBytesMax = 248
  public static let ssidBytesMax = 32
  /// Of a blob or a name in a descriptor: the data of one AD structure.
  public static let clauseBytesMax = 254

  /// Rows of a table. Each accessory brings one device and one account at most.
  public static func rowsMax(of table: RegistryTable) -> Int {
    table == .tombstone ? tombstonesMax : accessoriesMax
  }
}
