// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What the host has told a controller since its reset, and the rules that the scan commands obey (Core Specification
/// 5.4, Volume 4, Part E, 3.1.1, 7.8.4, 7.8.10, 7.8.11, 7.8.64, 7.8.65).
struct LinkLayer: Sendable {
  /// Legacy and extended commands are not mixed between resets.
  enum CommandSet: Sendable {
    case undecided, legacy, extended
  }

  /// What the scan parameters say; nothing until the host has set them.
  struct Scan: Equatable, Sendable {
    var le1M: ScanParameters?
    var coded: ScanParameters?
    var ownAddress = OwnAddressType.public
    var filter = ScanFilterPolicy.all

    var isActive: Bool { le1M?.kind == .active || coded?.kind == .active }
  }

  /// A scan that is enabled.
  struct Enabled: Equatable, Sendable {
    var duplicates = DuplicateFilter.off
    /// In microseconds; nil scans until it is disabled.
    var duration: Int64?
    /// From the start of a scan to the next; nil ends with the first.
    var period: Int64?
  }

  static let acceptListCapacity = 16

  var eventMask = EventMask.afterReset
  var leEventMask = LEEventMask.afterReset
  /// The controller's, whatever the host says.
  let hasPublicAddress: Bool
  var randomAddress: DeviceAddress?
  var acceptList: [DeviceAddress] = []
  private(set) var commandSet = CommandSet.undecided
  private(set) var scan = Scan(le1M: ScanParameters(.passive, interval: 0x10, window: 0x10))
  private(set) var enabled: Enabled?

  init(hasPublicAddress: Bool) { self.hasPublicAddress = hasPublicAddress }

  /// The duration of a scan without a period has passed.
  mutating func endScan() { enabled = nil }

  /// Whether commands of a set may be used; the first one decides.
  mutating func use(_ set: CommandSet) -> Bool {
    if commandSet == .undecided { commandSet = set }
    return commandSet == set
  }

  mutating func setScan(_ new: Scan) -> ErrorCode {
    guard enabled == nil else { return .commandDisallowed }
    scan = new
    return .success
  }

  /// Scan requests carry an address of its own, which a controller must have (7.8.11, 7.8.65).
  mutating func enable(_ new: Enabled) -> ErrorCode {
    let asksPublicly = scan.isActive && (scan.ownAddress == .public || scan.ownAddress == .resolvableOrPublic)
    guard hasPublicAddress || !asksPublicly else { return .invalidParameters }
    let needsRandom = scan.ownAddress == .random || scan.ownAddress == .resolvableOrRandom
    guard !needsRandom || randomAddress != nil else { return .invalidParameters }
    enabled = new
    return .success
  }

  mutating func disable() -> ErrorCode {
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
