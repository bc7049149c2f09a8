// SPDX-License-Identifier: GPL-3.0-or-later

/// A board profile.
public enum BoardKey: String, ManifestKey {
  case schema, name, transport
  case rssiOffset = "rssi-offset"
  case scan, recovery
  case knownLimits = "known-limits"
}

/// `[scan]` of a board profile.
public enum ScanKey: String, ManifestKey {
  case low, balanced, fast
}

/// `low`, `balanced` and `fast` of `[scan]`.
public enum DutyKey: String, ManifestKey {
  case window = "window-ms"
  case interval = "interval-ms"
}

/// `[[recovery]]` of a board profile.
public enum RecoveryKey: String, ManifestKey {
  case step, driver, device
  case wait = "wait-ms"
}
