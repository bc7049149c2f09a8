// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
import HCI
@_exported public import Values

/// The settings of the machine: radios, files, table sizes and limits.
public struct Gateway: Equatable, Sendable {
  /// How the agent uses the adapter.
  public enum Access: String, CaseIterable, Sendable {
    /// Together with bluetoothd.
    case shared
    /// A dedicated adapter on the user channel.
    case exclusive
  }

  /// Whether the agent switches a shared adapter on.
  public enum Power: String, CaseIterable, Sendable {
    /// At its start, and after bluetoothd switched the adapter off as it ended.
    case on
    /// Other programs switch the adapter on and off.
    case keep
  }

  /// Whether scanning sends scan requests.
  public enum Scan: String, CaseIterable, Sendable {
    /// Active only while a descriptor needs scan responses.
    case auto
    case passive
    case active
  }

  /// Whether the kernel drops reports that no item looks for.
  public enum Filter: String, CaseIterable, Sendable { case on, off }

  public var radio = RadioSelection.any
  public var access = Access.shared
  public var power = Power.on
  public var scan = Scan.auto
  public var filter = Filter.on
  /// The interface that scans for network names; nil for none.
  public var wifi: String?
  /// Why an item that is found by its network never matches without ``wifi``, and what to do, as a sentence for
  /// integrators.
  public static let reasonNoNetworkMatches = "never matches: " + reasonNoNetworkIsRead
  /// Why no networks are read without ``wifi``, and what to do, as a sentence for operators.
  public static let reasonNoNetworkIsRead =
    "[gateway] names no interface to look for networks with; add wifi = \"wlan0\" to it, or as the interface is called"
  /// Why no network can be shown although they are looked for, as a sentence for operators.
  public static let reasonNoNetworkIsKnown =
    "no network is known; a scan is started while accessoryctl pick waits for one"
  /// A profile in `Board/`.
  public var board = "generic"
  /// The programs that signal something at the gateway, by their paths.
  public var programs: [SignalProgramKind: String] = [:]
  /// The file that holds identity keys, mode 0600.
  public var identityKeys: String?
  /// The shortest time between two reads of the radio while no request is open.
  public var drainIntervalMilliseconds: Int32 = 20
  /// The shortest time between two `changed` events of one device and item.
  public var changedIntervalMilliseconds: Int32 = 1000
  public var capacities = Capacities()
  public var limits = Limits()

  public init() {}
}

/// The programs that the agent can run to signal something at the gateway; the raw value is the manifest's key.
public enum SignalProgramKind: String, CaseIterable, Sendable {
  /// Signals how a touch ended.
  case touch = "on-touch"
  /// Signals that an app asks the operators.
  case request = "on-request"
}

/// Where advertising reports come from.
public enum RadioSelection: Hashable, Sendable {
  /// The first available adapter.
  case any
  /// `hci0` is index 0.
  case index(UInt16)
  /// The adapter with this public address, in the low 48 bits.
  case address(UInt64)
  /// A recording.
  case btsnoop(String)
  /// A controller behind a UNIX socket that carries H4 packets.
  case h4(String)
}

/// The limits on what clients may use at once.
public struct Limits: Hashable, Sendable {
  /// How long a request stays open after a candidate was shown.
  public var pickerIdleSeconds: Int32 = 600
  /// Pickers of one app that end without an accessory; after as many, the next is refused with `pickerRestricted`.
  public var requestsPerMinute: Int32 = 5
  /// Devices shown in one picker, the strongest; the rest are counted.
  public var candidates: Int32 = 64
  /// Connections to the socket.
  public var connections: Int32 = 64
  public var connectionsPerUser: Int32 = 16
  /// Connections kept free for operators.
  public var connectionsForOperators: Int32 = 8
  /// The largest number of unsent bytes for one client.
  public var writeBufferBytes: Int32 = 65_536

  public init() {}
}

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
