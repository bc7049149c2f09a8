// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What the kernel says about networks over generic netlink (linux/genetlink.h, linux/nl80211.h).
public enum ScanMessage: Equatable, Sendable {
  /// A scan of an interface.
  public enum Event: Equatable, Sendable {
    case started, completed, aborted
  }

  /// nl80211's number, and the number of the group in which it reports scans.
  case family(UInt16, scanGroup: UInt32?)
  /// A request was carried out (0), or was refused with this value of errno.
  case replied(errno: Int32)
  /// A list has ended, with 0 or a value of errno.
  case listEnded(errno: Int32)
  case scan(Event, interface: UInt32)
  /// An entry of a list; nil when its name has more than 32 bytes.
  case network(WirelessNetwork?, isAssociated: Bool)
  /// A message that concerns nothing here.
  case other
  /// A message with a missing or malformed part.
  case malformed

  private enum Command {
    static let newFamily: UInt8 = 1
    static let triggerScan: UInt8 = 33
    static let newScanResults: UInt8 = 34
    static let scanAborted: UInt8 = 35
  }

  private enum FamilyAttribute {
    static let number: UInt16 = 1
    static let groups: UInt16 = 7
    static let groupName: UInt16 = 1
    static let groupNumber: UInt16 = 2
  }

  private enum Attribute {
    static let interface: UInt16 = 3
    static let network: UInt16 = 47
  }

  private enum NetworkAttribute {
    static let bssid: UInt16 = 1
    static let frequency: UInt16 = 2
    static let capabilities: UInt16 = 5
    static let elements: UInt16 = 6
    static let signalHundredths: UInt16 = 7
    static let status: UInt16 = 9
    static let millisecondsAgo: UInt16 = 10
    static let beaconElements: UInt16 = 11
  }

  /// The privacy bit of a network's capabilities (IEEE 802.11-2020, 9.4.1.4).
  private static let privacy: UInt16 = 1 << 4
  /// Associated (1), or an ad hoc network that was joined (2); 0 is only authenticated.
  private static let joined: ClosedRange<UInt32> = 1...2

  /// Reads a message. Times are relative to the moment of the reading, which is 0. `family` is nl80211's number, 0
  /// while it is not known.
  public init(_ message: borrowing NetlinkMessage, family: UInt16) {
    var cursor = ByteCursor(message.payload)
    switch message.kind {
    case NetlinkMessage.Kind.error:
      guard let code = cursor.uint32() else { self = .malformed; return }
      self = .replied(errno: Self.errno(code))
    case NetlinkMessage.Kind.done:
      self = .listEnded(errno: Self.errno(cursor.uint32() ?? 0))
    case NetlinkMessage.Kind.control:
      guard let command = cursor.uint8(), cursor.skip(3) else { self = .malformed; return }
      self = command == Command.newFamily ? Self.family(cursor.rest) : .other
    case family where family != 0:
      guard let command = cursor.uint8(), cursor.skip(3) else { self = .malformed; return }
      self = Self.scan(command, cursor.rest)
    default: self = .other
    }
  }

  /// The kernel writes errors as negative numbers.
  private static func errno(_ code: UInt32) -> Int32 {
    let number = Int32(bitPattern: code)
    return number == .min ? .max : abs(number)
  }

  private static func family(_ bytes: RawSpan) -> ScanMessage {
    var number: UInt16?
    var group: UInt32?
    var attributes = NetlinkAttributes(bytes)
    var kind: UInt16 = 0
    while let value = attributes.next(&kind) {
      switch kind {
      case FamilyAttribute.number where value.byteCount == 2: number = value.uint16(at: 0)
      case FamilyAttribute.groups: group = scanGroup(value)
      default: break
      }
    }
    guard let number, number != 0, !attributes.isMalformed else { return .malformed }
    return .family(number, scanGroup: group)
  }

  private static func scanGroup(_ bytes: RawSpan) -> UInt32? {
    let wanted = Array("scan\0".utf8)
    var groups = NetlinkAttributes(bytes)
    var kind: UInt16 = 0
    while let group = groups.next(&kind) {
      var (isScan, number): (Bool, UInt32?) = (false, nil)
      var parts = NetlinkAttributes(group)
      while let value = parts.next(&kind) {
        if kind == FamilyAttribute.groupName { isScan = value.equals(wanted.span.rawBytes) }
        if kind == FamilyAttribute.groupNumber, value.byteCount == 4 { number = value.uint32(at: 0) }
      }
      if isScan { return number }
    }
    return nil
  }

  private static func scan(_ command: UInt8, _ bytes: RawSpan) -> ScanMessage {
    var interface: UInt32?
    var network: ScanMessage?
    var attributes = NetlinkAttributes(bytes)
    var kind: UInt16 = 0
    while let value = attributes.next(&kind) {
      if kind == Attribute.interface, value.byteCount == 4 { interface = value.uint32(at: 0) }
      if kind == Attribute.network { network = self.network(value) }
    }
    // The kernel lists networks under the same command by which it reports a scan's end.
    if command == Command.newScanResults, let network { return network }
    let event: Event? =
      switch command {
      case Command.triggerScan: .started
      case Command.newScanResults: .completed
      case Command.scanAborted: .aborted
      default: nil
      }
    guard let event else { return .other }
    guard let interface else { return .malformed }
    return .scan(event, interface: interface)
  }

  private static func network(_ bytes: RawSpan) -> ScanMessage {
    var bssid: BSSID?
    var (frequency, signal): (UInt32?, Int8?) = (nil, nil)
    var (elements, beaconElements): (InformationElements?, InformationElements?) = (nil, nil)
    var (isPrivate, isAssociated, age): (Bool, Bool, Int64) = (false, false, 0)
    var attributes = NetlinkAttributes(bytes)
    var kind: UInt16 = 0
    while let value = attributes.next(&kind) {
      switch (kind, value.byteCount) {
      case (NetworkAttribute.bssid, 6): bssid = BSSID(value)
      case (NetworkAttribute.frequency, 4): frequency = value.uint32(at: 0)
      case (NetworkAttribute.capabilities, 2): isPrivate = value.uint16(at: 0) & privacy != 0
      case (NetworkAttribute.signalHundredths, 4):
        signal = Int8(clamping: Int32(bitPattern: value.uint32(at: 0)) / 100)
      case (NetworkAttribute.status, 4): isAssociated = joined.contains(value.uint32(at: 0))
      case (NetworkAttribute.millisecondsAgo, 4): age = Int64(value.uint32(at: 0))
      case (NetworkAttribute.elements, _): elements = InformationElements(value)
      case (NetworkAttribute.beaconElements, _): beaconElements = InformationElements(value)
      default: break
      }
    }
    guard let bssid, !attributes.isMalformed else { return .malformed }
    let found = elements ?? beaconElements ?? InformationElements()
    guard !found.isNameTooLong, let name = found.name ?? NetworkName([UInt8]()) else {
      return .network(nil, isAssociated: isAssociated)
    }
    return .network(
      WirelessNetwork(
        bssid: bssid, name: name, frequencyMegahertz: frequency, signal: signal,
        security: found.security(isPrivate: isPrivate), lastSeen: Instant(microseconds: -age * 1000)),
      isAssociated: isAssociated)
  }
}

/// One message of a netlink datagram (linux/netlink.h): a header of 16 bytes and its payload.
///
/// Numbers are in the byte order of the processor; the agent's processors are least significant byte first.
public struct NetlinkMessage: ~Escapable {
  /// The types that every family has.
  public enum Kind {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    /// The family that names the others (linux/genetlink.h).
    static let control: UInt16 = 16
  }

  static let headerByteCount = 16

  /// A type that every family has, or the number of a family.
  public let kind: UInt16
  /// The number of the request that this replies to; 0 for news.
  public let sequence: UInt32
  public let payload: RawSpan

  @_lifetime(copy payload)
  init(kind: UInt16, sequence: UInt32, payload: RawSpan) {
    self.kind = kind
    self.sequence = sequence
    self.payload = payload
  }
}

/// Reads the messages of a datagram one by one, and stops at the first one that does not fit.
public struct NetlinkMessages: ~Escapable {
  private var cursor: ByteCursor
  /// Whether a message was longer than the datagram, or shorter than its header.
  public private(set) var isMalformed = false

  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) { cursor = ByteCursor(bytes) }

  @_lifetime(copy self)
  public mutating func next() -> NetlinkMessage? {
    guard cursor.byteCount > 0 else { return nil }
    guard let length = cursor.uint32(), let kind = cursor.uint16(), cursor.skip(2),
      let sequence = cursor.uint32(), cursor.skip(4), Int(length) >= NetlinkMessage.headerByteCount,
      let payload = cursor.bytes(Int(length) - NetlinkMessage.headerByteCount)
    else {
      isMalformed = true
      cursor.skipToEnd()
      return nil
    }
    skipPadding(after: Int(length), in: &cursor)
    return NetlinkMessage(kind: kind, sequence: sequence, payload: payload)
  }
}

/// Reads attributes one by one (linux/netlink.h): a length of two bytes that counts itself, two bytes with the kind,
/// the value, and up to three bytes of padding. Stops at the first one that does not fit.
struct NetlinkAttributes: ~Escapable {
  private static let headerByteCount = 4
  /// The upper two bits are flags.
  private static let kindMask: UInt16 = 0x3FFF

  private var cursor: ByteCursor
  private(set) var isMalformed = false

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) { cursor = ByteCursor(bytes) }

  /// Returns the kind and the value of the next attribute.
  @_lifetime(copy self)
  mutating func next(_ kind: inout UInt16) -> RawSpan? {
    guard cursor.byteCount > 0 else { return nil }
    guard let length = cursor.uint16(), let word = cursor.uint16(), Int(length) >= Self.headerByteCount,
      let value = cursor.bytes(Int(length) - Self.headerByteCount)
    else {
      isMalformed = true
      cursor.skipToEnd()
      return nil
    }
    skipPadding(after: Int(length), in: &cursor)
    kind = word & Self.kindMask
    return value
  }
}

/// Messages and attributes begin at multiples of four bytes; the last one may lack its padding.
private func skipPadding(after length: Int, in cursor: inout ByteCursor) {
  if !cursor.skip((4 - length % 4) % 4) { cursor.skipToEnd() }
}

/// A request to the kernel about networks, over generic netlink (linux/genetlink.h, linux/nl80211.h).
public enum ScanRequest: Equatable, Sendable {
  /// Ask for the number of nl80211 and of its groups.
  case findFamily
  /// Scan all channels, with probe requests for any name.
  case startScan(family: UInt16, interface: UInt32)
  /// List the networks that the kernel knows.
  case list(family: UInt16, interface: UInt32)

  private static let isRequest: UInt16 = 1
  private static let wantsReply: UInt16 = 4
  private static let wantsList: UInt16 = 0x300
  private static let isNested: UInt16 = 0x8000

  /// The datagram with this sequence number, in the byte order of the agent's processors: least significant byte first.
  public func bytes(sequence: UInt32) -> [UInt8] {
    switch self {
    case .findFamily:
      Self.message(
        kind: NetlinkMessage.Kind.control, flags: Self.isRequest, sequence, command: 3,
        Self.attribute(2, Array("nl80211\0".utf8)))
    case .startScan(let family, let interface):
      Self.message(
        kind: family, flags: Self.isRequest | Self.wantsReply, sequence, command: 33,
        Self.attribute(3, interface.littleEndianBytes)
          // One empty name: the probe request that every network replies to.
          + Self.attribute(45 | Self.isNested, Self.attribute(1, [])))
    case .list(let family, let interface):
      Self.message(
        kind: family, flags: Self.isRequest | Self.wantsList, sequence, command: 32,
        Self.attribute(3, interface.littleEndianBytes))
    }
  }

  private static func message(
    kind: UInt16, flags: UInt16, _ sequence: UInt32, command: UInt8, _ attributes: [UInt8]
  ) -> [UInt8] {
    let byteCount = UInt32(NetlinkMessage.headerByteCount + 4 + attributes.count)
    return byteCount.littleEndianBytes + kind.littleEndianBytes + flags.littleEndianBytes
      + sequence.littleEndianBytes + [0, 0, 0, 0] + [command, 1, 0, 0] + attributes
  }

  private static func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
    UInt16(value.count + 4).littleEndianBytes + kind.littleEndianBytes + value
      + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }
}
