// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// From packets to sighting events: report, row, payload, match, gate, ring.
///
/// Time is an input and never runs backwards: an earlier time counts as the latest one. What is due between two
/// inputs happens at its own time. Nothing is allocated after the tables were taken from the arena; ``Capacities``
/// bounds each of them, and ``Counters`` says what each turned away.
public struct Pipeline: ~Copyable {
  let capacities: Capacities
  var assembler: ReportAssembler
  var index: AddressIndex
  let devices: FixedTable<Device>
  /// Eight places for each row, in manifest order.
  let matches: FixedTable<Match>
  let sets: FixedTable<AdvertisingSet>
  var freeSet: Int32 = -1
  let freeRows: FixedTable<Int32>
  var freeRowCount = 0
  var payloads: PayloadStore
  var victims: VictimQueue
  var deadlines: DeadlineHeap
  let gates: FixedTable<GateSettings>
  /// Matches of each item that count against its quota.
  let itemMatches: FixedTable<Int32>
  let identities: FixedTable<IdentityKey>
  /// The row of each identity, or -1.
  let identityRows: FixedTable<Int32>
  var identityCount = 0
  let accessories: FixedTable<DeviceAddress>
  var accessoryCount = 0
  var strangerCount = 0
  /// No silence of any item ends sooner after a report than this.
  var patienceMillisecondsMin = Int64.max / 2000
  var clock = Instant(microseconds: .min)
  var tally = Counters()

  /// The compiled descriptors. Fill it, then call ``Matcher/compile()``, before the first packet.
  public var matcher: Matcher
  /// Sighting events, for operators.
  public internal(set) var events: EventRing
  /// Added to every reading: what makes this adapter comparable with the reference, in dB.
  public var adapterOffset: Int8 = 0
  /// A match's `changed` events come at least so far after its last event.
  public var changeMilliseconds: Int64 = 1000

  /// What a pipeline must hold besides its capacities.
  public struct Size: Equatable, Sendable, BitwiseCopyable {
    public var matcher: Matcher.Size
    public var identities: Int

    public init(matcher: Matcher.Size, identities: Int) {
      self.matcher = matcher
      self.identities = identities
    }
  }

  public init(_ size: Size, _ capacities: Capacities, epoch: Block128, in arena: inout Arena) {
    let rows = Int(capacities.devices)
    let setCount = rows + max(64, rows / 4)
    self.capacities = capacities
    assembler = ReportAssembler(capacity: Int(capacities.reassemblies), in: &arena)
    index = AddressIndex(rows: rows, in: &arena)
    devices = arena.table(of: Device(), count: rows)
    matches = arena.table(of: Match(), count: rows * MatchedItems.capacity)
    sets = arena.table(of: AdvertisingSet(), count: setCount)
    freeRows = arena.table(of: 0, count: rows)
    payloads = PayloadStore(sets: setCount, longPayloads: Int(capacities.longPayloads), in: &arena)
    victims = VictimQueue(in: &arena)
    deadlines = DeadlineHeap(rows: rows, in: &arena)
    gates = arena.table(of: GateSettings(), count: size.matcher.items)
    itemMatches = arena.table(of: 0, count: size.matcher.items)
    let noAddress = DeviceAddress(bits: 0, type: .anonymous)
    identities = arena.table(
      of: IdentityKey(key: Block128(high: 0, low: 0), identity: noAddress), count: size.identities)
    identityRows = arena.table(of: -1, count: size.identities)
    accessories = arena.table(of: noAddress, count: Int(capacities.accessories))
    matcher = Matcher(size.matcher, in: &arena)
    events = EventRing(
      events: Int(capacities.events), eventBytes: Int(capacities.eventBytes), epoch: epoch, in: &arena)
    freeEverything()
  }

  /// Chains all rows and sets as free, lowest first. A measuring arena has given us none.
  private mutating func freeEverything() {
    freeRowCount = freeRows.count
    for row in 0..<freeRows.count { freeRows[row] = Int32(freeRows.count - 1 - row) }
    for set in 0..<sets.count { sets[set].next = set + 1 < sets.count ? Int32(set + 1) : -1 }
    freeSet = sets.count > 0 ? 0 : -1
  }

  /// Sets the gate of an item; before the first packet.
  public mutating func setGate(_ settings: GateSettings, item: Int) {
    gates[item] = settings
    patienceMillisecondsMin = min(patienceMillisecondsMin, Int64(settings.lostMilliseconds))
    guard settings.isImmediate else { return }
    patienceMillisecondsMin = min(patienceMillisecondsMin, Int64(settings.silenceMilliseconds))
  }

  /// Adds an identity key; before the first packet, and as many as the size says.
  public mutating func add(_ identity: IdentityKey) {
    identities[identityCount] = identity
    identityCount += 1
  }

  /// Everything counted so far.
  public var counters: Counters { tally }
  public var assemblerCounters: ReportAssembler.Counters { assembler.counters }
  /// The time of the latest input, or nil before the first.
  public var now: Instant? { clock.microseconds == .min ? nil : clock }

  /// What a packet was.
  public enum Reception: Sendable, BitwiseCopyable {
    case reports
    /// No advertising reports: whoever taps the radio may look at it.
    case other
    case malformed
  }

  /// Takes one packet as a datagram delivers it, H4 indicator first.
  public mutating func receive(h4 bytes: RawSpan, at time: Instant) -> Reception {
    do throws(PacketError) {
      return receive(try Packet(parsing: bytes), at: time)
    } catch {
      advance(to: time)
      tally.packets &+= 1
      tally.packetsMalformed &+= 1
      return .malformed
    }
  }

  /// Takes one packet from the controller.
  @inline(__always)
  public mutating func receive(_ packet: borrowing Packet, at time: Instant) -> Reception {
    advance(to: time)
    tally.packets &+= 1
    guard case .event = packet.kind else {
      tally.packetsTapped &+= 1
      return .other
    }
    do throws(EventError) {
      let event = try Event(parsing: packet.body)
      // Legacy reports need no assembling, and events are seldom damaged; the frequent path is kept short.
      guard event.trailingByteCount == 0, event.holdsLegacyReports, var reports = AdvertisingReports(event)
      else {
        return receiveOther(event)
      }
      while true {
        do throws(ReportError) {
          guard let report = try reports.nextLegacy() else { break }
          tally.reports &+= 1
          // A name of its own keeps the report out of memory.
          let header = report.header
          takeLegacy(header.address, header.properties, rssi: header.rssi, report.data)
        } catch {
          count(error, of: reports.count)
        }
      }
      count(trailingByteCount: 0, trailing: reports.trailingByteCount)
      return .reports
    } catch {
      tally.packetsMalformed &+= 1
      return .malformed
    }
  }

  /// Takes an event of any length and with reports of any format, or none.
  @inline(never)
  private mutating func receiveOther(_ event: borrowing Event) -> Reception {
    guard var reports = AdvertisingReports(event) else {
      tally.packetsTapped &+= 1
      return .other
    }
    while true {
      do throws(ReportError) {
        guard let report = try reports.next() else { break }
        tally.reports &+= 1
        assemble(report)
      } catch {
        count(error, of: reports.count)
      }
    }
    count(trailingByteCount: event.trailingByteCount, trailing: reports.trailingByteCount)
    return .reports
  }

  @inline(__always)
  private mutating func count(trailingByteCount: Int, trailing: Int) {
    guard trailingByteCount | trailing != 0 else { return }
    if trailingByteCount < 0 { tally.eventsTruncated &+= 1 }
    if trailingByteCount > 0 || trailing > 0 { tally.eventsWithTrailingBytes &+= 1 }
  }

  private mutating func count(_ error: ReportError, of reportCount: Int) {
    switch error {
    case .truncated(let index): tally.reportsLostToTruncation &+= UInt64(reportCount - index)
    case .reserved: tally.reportsReserved &+= 1
    }
  }
}
