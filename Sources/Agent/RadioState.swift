// SPDX-License-Identifier: GPL-3.0-or-later

/// How the radio is: as an operator sees it.
public enum RadioState: String, CaseIterable, Sendable {
  /// It scans.
  case on
  /// It does not scan, and should not.
  case off
  /// It should scan, and is being brought up or waited for.
  case recovering
  /// There is none.
  case absent
}
