// SPDX-License-Identifier: GPL-3.0-or-later

/// What came of a request.
public enum RegistryReply: Equatable, Sendable {
  case opened(AccessoryRegistry)
  /// It is on disk and survives a power cut.
  case done
  /// A new, empty registry is open; what was there is kept under that name, nil when nothing was.
  case reset(kept: String?)
  /// There is no registry to work with until it is reset or mended.
  case refused(RegistryOpenError)
  /// Nothing was done. `isOpen`: the file is as it was and can be written to again. Otherwise what is on disk is as
  /// before or as after: opening it tells.
  case failed(RegistryStoreError, isOpen: Bool)
  case closed
}
