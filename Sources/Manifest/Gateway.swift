// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery

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
