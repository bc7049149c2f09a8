// SPDX-License-Identifier: GPL-3.0-or-later

/// What an adapter is known not to do, whatever it reports about itself.
public struct KnownLimits: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Extended scanning fails or is not there.
  public static let noExtendedScanning = KnownLimits(rawValue: 1 << 0)
  /// The coded PHY is not there.
  public static let noCodedPHY = KnownLimits(rawValue: 1 << 1)
  /// Scanning and connecting at once wedges the adapter.
  public static let noScanWhileConnecting = KnownLimits(rawValue: 1 << 2)
  /// Wi-Fi has the same antenna and suffers from long scans.
  public static let sharesAntennaWithWiFi = KnownLimits(rawValue: 1 << 3)
}
