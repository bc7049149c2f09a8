// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
@_exported public import Values

/// Everything that the integrator configures: one gateway, its apps, and its bridges.
public struct GatewayManifest: Equatable, Sendable {
  /// The format this program reads: the value of the key `schema`.
  public static let schema: Int64 = 1

  public var gateway = Gateway()
  /// In the manifest's order, which is the order of matches.
  public var apps: [App] = []
  public var bridges: [Bridge] = []

  public init() {}

  /// Whether a descriptor needs scan responses, which decides about scan requests with `scan = "auto"`.
  ///
  /// A scan response may carry any AD structure. Devices usually put names and service UUIDs there, so a descriptor with
  /// one of them may never match passively. A device that sends its manufacturer or service data only in the scan
  /// response needs `scan = "active"`.
  public var needsScanResponses: Bool { items.contains(where: \.needsScanResponses) }

  /// The manifest adapted to a board: if the radio listens only part of the time, silences are stretched to match.
  ///
  /// Such a radio hears an advertiser by chance. With a duty of one tenth, 10 s of silence become 100 s, and gaps have no
  /// upper bound: one in eight is longer than three times the median, one in a thousand longer than ten times. Each
  /// silence keeps its maximum. A recording does not say how it was scanned, so it is left unchanged.
  public func paced(by board: BoardProfile) -> GatewayManifest {
    if case .btsnoop = gateway.radio { return self }
    let duty = board.low
    guard !duty.isFull else { return self }
    var paced = self
    for app in paced.apps.indices {
      for item in paced.apps[app].items.indices { paced.apps[app].items[item].gate.stretch(for: duty) }
    }
    return paced
  }
}

extension ManifestItem {
  /// Whether one of the item's descriptors needs scan responses.
  public var needsScanResponses: Bool {
    item.descriptor.needsScanResponse || item.alternate?.needsScanResponse == true
  }
}

extension DiscoveryDescriptor {
  /// Whether the descriptor has a clause that devices often meet only in their scan response. Service data includes its
  /// UUID.
  fileprivate var needsScanResponse: Bool {
    nameSubstring != nil || (serviceUUID != nil && serviceData == nil)
  }
}

extension GateSettings {
  fileprivate mutating func stretch(for duty: ScanDuty) {
    patienceFactor = 10
    lostMilliseconds = Self.stretched(lostMilliseconds, for: duty, lostMillisecondsMax)
    settlingMilliseconds = Self.stretched(settlingMilliseconds, for: duty, .max)
    silenceMilliseconds = Self.stretched(silenceMilliseconds, for: duty, silenceMillisecondsMax)
  }

  private static func stretched(_ milliseconds: Int32, for duty: ScanDuty, _ most: Int32) -> Int32 {
    let stretched =
      Int64(milliseconds) * Int64(duty.intervalMilliseconds) / Int64(max(duty.windowMilliseconds, 1))
    return max(milliseconds, Int32(clamping: min(stretched, Int64(most))))
  }
}
