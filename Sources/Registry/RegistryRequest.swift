// SPDX-License-Identifier: GPL-3.0-or-later

/// What is asked of the registry's file. Only the disk worker asks: each may wait for the disk. Exports need no disk:
/// whoever exports writes what the asker has in memory.
public enum RegistryRequest: Equatable, Sendable {
  /// Opens the file and reads it, again if it is open.
  case open
  /// Makes the steps of one change durable.
  case commit([RegistryWrite])
  /// Puts a registry that was imported in the place of what is there.
  case replace(AccessoryRegistry)
  /// Moves the file aside and makes a new one.
  case reset
  /// Writes the log back and closes the file: the agent ends.
  case close
}
