// SPDX-License-Identifier: GPL-3.0-or-later

/// One step of making a change durable; all steps of a change are made together or not at all.
public enum RegistryWrite: Equatable, Sendable {
  /// The row is there now, in place of one with its number.
  case put(RegistryRow)
  case drop(RegistryTable, number: Int64)
}
