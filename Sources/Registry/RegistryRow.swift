// SPDX-License-Identifier: GPL-3.0-or-later

/// Something that a registry holds, under a number of its own in its table. Numbers grow in order of addition.
public enum RegistryRow: Equatable, Sendable {
  case account(RegistryAccount)
  case device(RegistryDevice)
  case accessory(RegistryAccessory)
  case tombstone(RegistryTombstone)

  public var table: RegistryTable {
    switch self {
    case .account: .account
    case .device: .device
    case .accessory: .accessory
    case .tombstone: .tombstone
    }
  }

  public var number: Int64 {
    switch self {
    case .account(let account): account.number
    case .device(let device): device.number
    case .accessory(let accessory): accessory.number
    case .tombstone(let tombstone): tombstone.number
    }
  }
}
