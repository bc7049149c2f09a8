// SPDX-License-Identifier: GPL-3.0-or-later

/// A primary advertising channel (Volume 6, Part B, 1.4.1).
public enum AdvertisingChannel: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case first = 37
  case second = 38
  case third = 39
}
