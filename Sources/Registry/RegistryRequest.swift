// SPDX-License-Identifier: GPL-3.0-or-later

/// A request to the store of the registry's file. Only the disk worker makes requests, because each may wait for the
/// disk. Exports are written from memory and need no request.
public enum RegistryRequest: Equatable, Sendable {
  /// Opens and reads the file; if it is open, closes it first.
  case open
  /// Writes the steps of one change durably.
  case commit([RegistryWrite])
  /// Replaces the stored registry with an imported one.
  case replace(AccessoryRegistry)
  /// Moves the file aside and creates a new one.
  case reset
  /// Writes the log back and closes the file, before the agent ends.
  case close
}

/// The reply to a request.
public enum RegistryReply: Equatable, Sendable {
  case opened(AccessoryRegistry)
  /// The file was read and is sound, but it cannot be written for now.
  case readable(AccessoryRegistry, RegistryStoreError)
  /// The change is on disk and survives a power cut.
  case done
  /// A new, empty registry is open; the old file is kept under the name `kept`, nil if there was none.
  case reset(kept: String?)
  /// The registry cannot be used until it is reset or repaired.
  case refused(RegistryOpenError)
  /// The request failed. With `isOpen`, the file is unchanged and can be written again. Otherwise the disk has the state
  /// before or after the request, which opening the file shows.
  case failed(RegistryStoreError, isOpen: Bool)
  case closed
}
