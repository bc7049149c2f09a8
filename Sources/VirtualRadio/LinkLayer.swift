// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The settings that the host made since the controller's reset, and the rules of the scan commands (Core Specification
/// 5.4, Volume 4, Part E, 3.1.1, 7.8.4, 7.8.10, 7.8.11, 7.8.64, 7.8.65).
struct LinkLayer: Sendable {
  /// A host must not mix legacy and extended commands between two resets.
  enum CommandSet: Sendable {
    case undecided, legacy, extended
  }

  /// The scan parameters; a PHY is nil until the host has set it.
  struct Scan: Equatable, Sendable {
    var le1M: ScanParameters?
    var coded: ScanParameters?
    var ownAddress = OwnAddressType.public
    var filter = ScanFilterPolicy.all

    var isActive: Bool { le1M?.kind == .active || coded?.kind == .active }
  }

  /// The settings of an enabled scan.
  struct Enabled: Equatable, Sendable {
    var duplicates = DuplicateFilter.off
    /// In microseconds; nil scans until the host disables it.
    var duration: Int64?
    /// From the start of one scan to the next; nil scans only once.
    var period: Int64?
  }

  static let acceptListCapacity = 16

  var eventMask = EventMask.afterReset
  var leEventMask = LEEventMask.afterReset
  /// Whether the controller has a public address; no command changes it.
  let hasPublicAddress: Bool
  var randomAddress: DeviceAddress?
  var acceptList: [DeviceAddress] = []
  private(set) var commandSet = CommandSet.undecided
  private(set) var scan = Scan(le1M: ScanParameters(.passive, interval: 0x10, window: 0x10))
  private(set) var enabled: Enabled?

  init(hasPublicAddress: Bool) { self.hasPublicAddress = hasPublicAddress }

  /// The duration of a scan without a period has passed.
  mutating func endScan() { enabled = nil }

  /// Whether commands of a set are allowed; the first command decides.
  mutating func allows(_ set: CommandSet) -> Bool {
    if commandSet == .undecided { commandSet = set }
    return commandSet == set
  }

  mutating func setScan(_ new: Scan) -> ErrorCode {
    guard enabled == nil else { return .commandDisallowed }
    scan = new
    return .success
  }

  /// Scan requests carry the controller's own address, so that it must have one (7.8.11, 7.8.65).
  mutating func enableScan(_ new: Enabled) -> ErrorCode {
    let asksPublicly = scan.isActive && (scan.ownAddress == .public || scan.ownAddress == .resolvableOrPublic)
    guard hasPublicAddress || !asksPublicly else { return .invalidParameters }
    let needsRandom = scan.ownAddress == .random || scan.ownAddress == .resolvableOrRandom
    guard !needsRandom || randomAddress != nil else { return .invalidParameters }
    enabled = new
    return .success
  }

  mutating func disableScan() -> ErrorCode {
    enabled = nil
    return .success
  }

  mutating func setRandomAddress(_ address: DeviceAddress) -> ErrorCode {
    // Disallowed only for the legacy commands' scan (7.8.4); an extended scan takes it up when it is enabled again.
    guard enabled == nil || commandSet == .extended else { return .commandDisallowed }
    randomAddress = address
    return .success
  }
}
