// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI

/// The known properties of a board and its adapter, from one file in `Board/`.
public struct BoardProfile: Equatable, Sendable {
  /// The format this program reads: the value of the key `schema`.
  public static let schema: Int64 = 1

  /// How the adapter is connected.
  public enum Transport: String, CaseIterable, Sendable {
    case any, usb, uart
  }

  public var name: String
  public var transport = Transport.any
  /// The correction that is added to every reading so that adapters agree, in dB; nil when it was never measured.
  public var rssiOffset: Int8?
  /// The duty while no request is open.
  public var low = ScanDuty(windowMilliseconds: 30, intervalMilliseconds: 300)
  /// The duty while a request is open.
  public var balanced = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
  /// The duty while a request with an immediate item is open.
  public var fast = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
  /// The steps that revive an adapter that stopped responding, mildest first.
  public var recovery: [RecoveryStep] = []
  public var knownLimits: KnownLimits = []

  /// The longest wait for the recovery unit: all actions of one escalation share a minute.
  private static let settleMillisecondsMax = 20_000

  public init(name: String) { self.name = name }

  /// How long the adapter may take to come back after the recovery unit's steps.
  public var settleMilliseconds: Int {
    let steps = recovery.lazy.filter(\.isPrivileged)
    return min(steps.reduce(0) { $0 + Int($1.waitMilliseconds) }, Self.settleMillisecondsMax)
  }

  /// The profile that counts for an adapter on USB unless the manifest names one that fits it.
  public static let usbName = "usb-dongle"
  /// The profile of a board without measurements.
  public static let unmeasuredName = "generic"

  /// Whether the profile is for an adapter that is not on USB, or for none in particular.
  public var givesWayToUSB: Bool { transport == .uart || name == Self.unmeasuredName }

  /// Whether the recovery unit has something to do; the agent always tries the other steps itself.
  public var asksForRecovery: Bool { recovery.contains { $0.isPrivileged } }

  /// How much of the time the board listens while no request is open, in per cent; nil when it is all of it.
  public var listeningPercent: Int? { low.isFull ? nil : low.percent }

  /// What an item whose devices send only on an event loses on a board that listens so much: a sentence without its
  /// subject.
  public static func costOfEvents(listeningPercent percent: Int) -> String {
    "sends only when pressed; this board listens \(percent) % of the time while no request is open, and misses the "
      + "presses in between; low = { window-ms = 60, interval-ms = 60 } in [scan] of its profile makes it listen all "
      + "the time"
  }

  /// The same for this board and an item; nil for one that loses nothing.
  public func costOfEvents(of item: DisplayItem) -> String? {
    item.sendsOnlyOnEvents ? listeningPercent.map(Self.costOfEvents) : nil
  }
}

/// Functions that an adapter is known to lack, whatever it reports about itself.
public struct KnownLimits: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Extended scanning is missing or fails.
  public static let noExtendedScanning = KnownLimits(rawValue: 1 << 0)
  /// The coded PHY is missing.
  public static let noCodedPHY = KnownLimits(rawValue: 1 << 1)
  /// Scanning and connecting at the same time wedges the adapter.
  public static let noScanWhileConnecting = KnownLimits(rawValue: 1 << 2)
  /// Wi-Fi has the same antenna and suffers from long scans.
  public static let sharesAntennaWithWiFi = KnownLimits(rawValue: 1 << 3)
}

/// One attempt to revive an adapter that stopped responding.
public struct RecoveryStep: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The command Reset (Core Specification 5.4, Volume 4, Part E, 7.3.2).
    case reset
    /// The adapter powered off and on.
    case power
    /// The radio blocked and unblocked.
    case rfkill
    /// The USB port reset.
    case usbReset
    /// The driver unbound from the device and bound again, by their names in sysfs.
    case rebind(driver: String, device: String)
  }

  public var kind: Kind
  /// How long the adapter may take to come back. After consecutive steps, the waits of all of them are added.
  public var waitMilliseconds: Int32 = 2000

  public init(kind: Kind) { self.kind = kind }

  /// Whether the step needs more rights than the agent has, so that the recovery unit performs it.
  public var isPrivileged: Bool { kind != .reset && kind != .power }
}

// Devices that send only on an event, such as buttons: a board that listens part of the time misses them.

extension DisplayItem {
  /// The silence from which on a device can only be one that waits for an event.
  private static let silenceOfEventsMilliseconds: Int32 = 3_600_000

  /// Whether the item's devices send only on an event: it asks for BTHome data of such devices, or its `gate.lost-ms` is
  /// an hour or more.
  public var sendsOnlyOnEvents: Bool {
    !descriptor.isFoundByNetwork
      && (gate.lostMilliseconds >= Self.silenceOfEventsMilliseconds || descriptor.asksForEventsOfBTHome)
  }

  /// The key that certainly makes the item lose such devices between two events, whatever their rhythm; nil for an item
  /// that waits for them, or whose devices send otherwise.
  var keyThatLosesBetweenEvents: GateKey? {
    guard sendsOnlyOnEvents else { return nil }
    guard gate.isImmediate else {
      return gate.lostMillisecondsMax < Self.silenceOfEventsMilliseconds ? .lostMax : nil
    }
    return gate.silenceMilliseconds < Self.silenceOfEventsMilliseconds ? .silence : nil
  }
}

extension DiscoveryDescriptor {
  /// Whether the device information of BTHome is asked for with "trigger based device" (bthome.io, "Format").
  fileprivate var asksForEventsOfBTHome: Bool {
    guard serviceUUID == BluetoothUUID(short: 0xFCD2), let data = serviceData,
      let information = data.blob.first,
      let mask = data.mask.first
    else { return false }
    return information & mask & 0x04 != 0
  }
}
