// SPDX-License-Identifier: GPL-3.0-or-later

/// The kinds of row in a registry; the order is that of exports.
public enum RegistryTable: String, CaseIterable, Sendable {
  case account, device, accessory, tombstone
}
