// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
public import Interfaces
public import Registry

/// Names a connection to an accessory, and the attempt to make it.
public struct LinkID: Hashable, Sendable {
  public let number: UInt64

  public init(number: UInt64) { self.number = number }
}

/// The device to connect to, and how.
public struct LinkTarget: Equatable, Sendable {
  /// The present address; for a bonded device its identity, which the kernel resolves.
  public let address: DeviceAddress
  /// The public address of the adapter, in the low 48 bits; 0 when it is not known.
  public let adapterAddress: UInt64
  public let security: LinkSecurity

  /// Whether the link has to be encrypted with the keys of a bond.
  public var isBonded: Bool { security.isEncrypted }
}

/// A socket that the shell is to connect.
public struct LinkRequest: Equatable, Sendable {
  public let id: LinkID
  public let target: LinkTarget
}

/// Why the shell could not connect a socket.
public enum LinkError: Error, Equatable, Sendable {
  /// The link has an ATT channel already.
  case busy
  /// The device refused the keys of its bond.
  case bondRefused
  /// The link is less safe than its bond: the kernel lacks the keys, and begins to pair.
  case isUnsafe
  /// The link was made, and ended before it could be handed over.
  case broken
  /// No file descriptor or memory is free.
  case exhausted
  /// The link was not made, for the reason in this text of the system.
  case refused(String)
}

/// How an attempt fails, for counters and the log.
public enum LinkErrorKind: String, CaseIterable, Sendable {
  case timeout, inUse, bond, broken, radio, resources, refused
  /// The app gave it up, or may not have it any longer.
  case abandoned
}

extension LinkError {
  var failure: LinkErrorKind {
    switch self {
    case .busy: .inUse
    case .bondRefused, .isUnsafe: .bond
    case .broken: .broken
    case .exhausted: .resources
    case .refused: .refused
    }
  }
}

/// How a connection ends, for operators and counters.
public typealias LinkEnd = ConnectionLine.End

extension LinkEnd {
  init(_ reason: MgmtDisconnectReason) {
    switch reason {
    case .timeout: self = .lost
    case .byLocalHost: self = .app
    case .byRemoteHost: self = .accessory
    case .authenticationFailed: self = .bond
    default: self = .lost
    }
  }
}

/// What was connected so far. Counters only grow.
struct LinkCounters: Equatable, Sendable {
  var made: UInt64 = 0
  var failures: [LinkErrorKind: UInt64] = [:]
  var ends: [LinkEnd: UInt64] = [:]
}

/// What the agent does for the connections, in order.
enum LinkAction: Equatable, Sendable {
  /// Connect a socket.
  case open(LinkRequest)
  /// Close the socket, unless an app has it.
  case close(LinkID)
  case manage(MgmtCommand)
  /// The device of this identity, or the kernel, lacks the keys of its bond.
  case bondWasRefused(DeviceAddress)
  case connected(AccessoryLinks.Link)
  case failed(AccessoryLinks.Link, LinkErrorKind)
  case ended(AccessoryLinks.Link, LinkEnd)
}

/// An event for the log, about a connection of an app to its accessory.
public enum LinkNotice: Equatable, Sendable {
  case connected(app: String, RandomIdentifier)
  case failed(app: String, RandomIdentifier, LinkErrorKind)
  case ended(app: String, RandomIdentifier, LinkEnd, seconds: Int64)
}

/// How safe the link to an accessory has to be. The kernel connects to a device without a bond too, unencrypted, and
/// begins to pair by itself: so what was asked for is read back.
public struct LinkSecurity: Equatable, Sendable {
  /// The levels of the kernel's sockets (BT_SECURITY), with its values. Its level 4 is above them.
  public enum Level: UInt8, Sendable {
    /// Unencrypted.
    case low = 1
    /// Encrypted with the keys of a bond.
    case medium = 2
    /// The keys are authenticated as well.
    case high = 3
  }

  /// What a link turned out to be.
  public enum Verdict: Sendable {
    case isSafe
    /// Less than what was asked for: the kernel, or the device, lacks the keys of the bond.
    case isUnsafe
    /// The link has ended before it could be read.
    case hasEnded
  }

  public let level: Level
  /// How many bytes the key of the link must have; 0 for a link without encryption.
  public let keyByteCount: UInt8
}

extension LinkSecurity {
  /// A link without encryption.
  static var none: Self { Self(level: .low, keyByteCount: 0) }

  /// Encryption with the keys of a bond, which have to be authenticated where the manifest demands it.
  /// Keys of bluetoothd whose size is not known need all sixteen bytes.
  init(_ bond: BondRecord, demandsAuthentication: Bool) {
    level = demandsAuthentication ? .high : .medium
    keyByteCount =
      bond.keys.longTermKeys.map(\.byteCount).max() ?? bond.foreignKeyByteCount
      ?? LongTermKey.byteCounts.upperBound
  }

  public var isEncrypted: Bool { level != .low }

  /// Judges a link by what the kernel says of it: its level, and how many bytes its key has.
  public func judge(level found: UInt8, keyByteCount foundByteCount: UInt8) -> Verdict {
    guard isEncrypted else { return .isSafe }
    if found < level.rawValue { return .isUnsafe }
    if foundByteCount == 0 { return .hasEnded }
    return foundByteCount < keyByteCount ? .isUnsafe : .isSafe
  }
}
