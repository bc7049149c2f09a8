// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller

/// What stands at the other end of a radio source.
public enum RadioKind: Equatable, Sendable {
  /// Takes commands, and is brought up.
  case controller
  /// A controller too, held by the kernel for nobody else: more can be done for it than to command it.
  case adapter
  /// An adapter that others use too: its events are read, and the kernel is asked to scan.
  case sharedAdapter(index: UInt16, remains: KernelScanState = KernelScanState())
  /// An adapter that is only listened to: whether it scans is up to others.
  case listener
  /// Only speaks.
  case recording
}
