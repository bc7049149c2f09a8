// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What a virtual controller is, and what goes wrong with it.
public struct ControllerScript: Equatable, Sendable {
  /// The public address, in the low 48 bits; all clear or all set for a controller without one.
  public var address: UInt64 = 0x00E0_4C00_0001
  /// What it calls itself: 8 is 4.2, 9 is 5.0, 10 is 5.1. Nothing here depends on it.
  public var version: UInt8 = 10
  /// The company that made it: the identifier of no one.
  public var manufacturer: UInt16 = 0xFFFF
  public var hasExtendedAdvertising = true
  public var hasCodedPHY = true
  /// From a command to its answer.
  public var answerMicroseconds: Int64 = 1000
  /// In how many of a thousand cases a report that follows another within 2 ms joins its event.
  public var batchPerMille = 200
  public var faults: [ControllerFault] = []

  public init() {}

  /// A Raspberry Pi's built-in chip: it says 5.0 and has no extended advertising.
  public static var pi: Self {
    var script = Self()
    script.version = 9
    script.manufacturer = 0x000F
    script.hasExtendedAdvertising = false
    script.hasCodedPHY = false
    return script
  }

  var hasPublicAddress: Bool { address != 0 && address != 1 << 48 - 1 }

  /// The LE features that it reports (Core Specification 5.4, Volume 6, Part B, 4.6).
  var features: LEFeatures {
    var features = LEFeatures.encryption.union(.dataLengthExtension).union(.le2M)
    if hasExtendedAdvertising { features = features.union(.extendedAdvertising) }
    if hasCodedPHY { features = features.union(.codedPHY) }
    return features
  }
}
