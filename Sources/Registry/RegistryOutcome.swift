// SPDX-License-Identifier: GPL-3.0-or-later

/// What a change did.
public struct RegistryOutcome: Equatable, Sendable {
  /// What is to be written for it; nothing when everything was so already.
  public internal(set) var writes: [RegistryWrite] = []
  /// The device that is no app's accessory any more: its bond is to be forgotten.
  public internal(set) var removedDevice: RegistryDevice?
  /// The oldest tombstone, which gave way to a new one.
  public internal(set) var forgotten: RegistryTombstone?
}
