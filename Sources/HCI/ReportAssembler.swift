// SPDX-License-Identifier: GPL-3.0-or-later

/// Joins the fragments of extended advertising into one payload (Core Specification 5.4, Volume 4, Part E,
/// 7.7.65.13: reports of one chain carry the same address, address type and set id).
///
/// Capacity: a fixed number of chains, each of at most 1,650 bytes (Volume 6, Part B, 2.3.4.9). A new chain that
/// finds all taken replaces the one that has waited longest. A chain that waits longer than an auxiliary pointer
/// can reach is forgotten. Each loss has a counter.
public struct ReportAssembler: ~Copyable {
  /// The longest advertising data a set can have.
  public static var payloadBytesMax: Int { 1650 }
  /// An auxiliary packet lies at most 2.46 s ahead (AUX Offset, Volume 6, Part B, 2.3.4.5).
  static var silenceMilliseconds: Int64 { 2500 }

  /// Counters of the chains.
  public struct Counters: Equatable, Sendable, BitwiseCopyable {
    /// Chains joined and delivered.
    public var assembled: UInt64 = 0
    /// Chains replaced because all slots were taken.
    public var displaced: UInt64 = 0
    /// Chains whose next fragment never came.
    public var expired: UInt64 = 0
    /// Chains longer than a set's data can be.
    public var oversized: UInt64 = 0

    public init() {}
  }

  struct Chain: BitwiseCopyable {
    var address = DeviceAddress(bits: 0, type: .public)
    var advertisingSID: UInt8 = 0
    var isScanResponse = false
    /// Whether more fragments are expected; if not, the slot is free.
    var isOpen = false
    var fragmentCount = 0
    var byteCount = 0
    var lastSeen = Instant(microseconds: 0)
    /// The chain outgrew its slot: its further fragments are dropped.
    var isOversized = false
  }

  let chains: FixedTable<Chain>
  /// The slots' bytes, `payloadBytesMax` each; a copy of this handle reads a payload while the assembler's owner is
  /// being changed.
  public let bytes: FixedTable<UInt8>
  public private(set) var counters = Counters()
  private var openCount = 0

  /// Whether no chain is open, so that a report whose data is complete is whole.
  public var isIdle: Bool { openCount == 0 }

  public init(capacity: Int, in arena: inout Arena) {
    chains = arena.table(of: Chain(), count: capacity)
    bytes = arena.table(of: 0, count: capacity * Self.payloadBytesMax)
  }

  /// How a report fits into its chain.
  public enum Outcome: Equatable, Sendable, BitwiseCopyable {
    /// Not part of a chain: its own data is all there is.
    case whole
    /// A fragment; more follows.
    case pending
    /// The last fragment: the payload is in `slot` until the next report is added.
    case assembled(slot: Int, byteCount: Int)
    /// The last fragment of a chain that was too long to keep.
    case lost
  }

  /// Adds one report; only extended ones can be fragments.
  public mutating func add(_ report: borrowing AdvertisingReport, at now: Instant) -> Outcome {
    let header = report.header
    guard header.properties.contains(.extendedEvent) else { return .whole }
    let open = find(header, at: now)
    guard header.dataStatus == .incomplete || open != nil else { return .whole }
    guard let slot = open ?? claim(header, at: now) else { return .lost }
    append(report.data, to: slot, at: now)
    return header.dataStatus == .incomplete ? .pending : finish(slot)
  }

  /// The payload that `add` just assembled.
  @_lifetime(borrow self)
  public func payload(slot: Int, byteCount: Int) -> RawSpan {
    bytes.span(at: slot * Self.payloadBytesMax, count: byteCount)
  }

  /// Fragments received for the chain that `add` just ended in `slot`.
  public func fragmentCount(slot: Int) -> Int { chains[slot].fragmentCount }

  /// Copies the open chains of another assembler and its counters; chains that find no slot are displaced.
  public mutating func copy(_ old: borrowing ReportAssembler) {
    counters = old.counters
    let keepsPlaces = chains.count >= old.chains.count
    var free = 0
    for slot in 0..<old.chains.count where old.chains[slot].isOpen {
      let place = keepsPlaces ? slot : free
      guard place < chains.count else {
        counters.displaced &+= 1
        continue
      }
      chains[place] = old.chains[slot]
      openCount += 1
      bytes.write(
        old.bytes.span(at: slot * Self.payloadBytesMax, count: old.chains[slot].byteCount),
        at: place * Self.payloadBytesMax)
      free += 1
    }
  }

  private mutating func find(_ header: ReportHeader, at now: Instant) -> Int? {
    for slot in 0..<chains.count where chains[slot].isOpen {
      if chains[slot].isStale(at: now) {
        counters.expired &+= 1
        close(slot)
      } else if chains[slot].continues(header) {
        return slot
      }
    }
    return nil
  }

  /// A free place for a new chain, or the one whose chain has waited longest; nil without any places.
  private mutating func claim(_ header: ReportHeader, at now: Instant) -> Int? {
    var chosen: Int?
    for slot in 0..<chains.count {
      if !chains[slot].isOpen {
        chosen = slot
        break
      }
      if let other = chosen, chains[other].lastSeen <= chains[slot].lastSeen { continue }
      chosen = slot
    }
    guard let chosen else { return nil }
    if chains[chosen].isOpen {
      counters.displaced &+= 1
      close(chosen)
    }
    openCount += 1
    chains[chosen] = Chain(
      address: header.address, advertisingSID: header.advertisingSID,
      isScanResponse: header.properties.contains(.scanResponse), isOpen: true, lastSeen: now)
    return chosen
  }

  private func append(_ data: RawSpan, to slot: Int, at now: Instant) {
    chains[slot].fragmentCount &+= 1
    chains[slot].lastSeen = now
    let end = chains[slot].byteCount + data.byteCount
    guard end <= Self.payloadBytesMax else {
      chains[slot].isOversized = true
      return
    }
    bytes.write(data, at: slot * Self.payloadBytesMax + chains[slot].byteCount)
    chains[slot].byteCount = end
  }

  private mutating func close(_ slot: Int) {
    chains[slot].isOpen = false
    openCount -= 1
  }

  private mutating func finish(_ slot: Int) -> Outcome {
    let chain = chains[slot]
    close(slot)
    guard !chain.isOversized else {
      counters.oversized &+= 1
      return .lost
    }
    counters.assembled &+= 1
    return .assembled(slot: slot, byteCount: chain.byteCount)
  }
}

extension ReportAssembler.Chain {
  func isStale(at now: Instant) -> Bool {
    now.milliseconds(since: lastSeen) > ReportAssembler.silenceMilliseconds
  }

  func continues(_ header: ReportHeader) -> Bool {
    address == header.address && advertisingSID == header.advertisingSID
      && isScanResponse == header.properties.contains(.scanResponse)
  }
}
