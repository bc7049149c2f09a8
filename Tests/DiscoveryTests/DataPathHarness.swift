// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
@testable import Manifest
import Testing
import VarlinkClient
import VirtualRadio

/// A data path under test: packets go in with their time, sightings come out in order.
///
/// After every input the pipeline's invariants are checked; a broken one traps.
final class DataPathHarness {
  private var path: ManifestDataPath
  private var cursor: EventCursor

  init(_ manifest: GatewayManifest, identities: [IdentityKey] = [], adapterOffset: Int8 = 0) {
    path = ManifestDataPath(manifest, identities: identities, adapterOffset: adapterOffset)
    cursor = EventCursor(epoch: Block128(high: 0, low: 0), sequence: 0)
  }

  convenience init(_ items: DisplayItem..., offset: Int8 = 0, adjust: (inout Gateway) -> Void = { _ in }) {
    self.init(GatewayManifest(items, adjust), adapterOffset: offset)
  }

  // MARK: Streams of reports

  private let batches = ArenaOwner { ReportBatches(in: &$0) }

  /// Opens streams that want everything.
  func openReports(_ count: Int = 1) {
    path.pipeline.reports = batches.value
    for stream in 0..<count {
      path.pipeline.reports.open(stream, patienceMilliseconds: 100, at: Instant(microseconds: 0))
    }
    path.pipeline.wantEverything(1 << UInt8(count) - 1)
    path.pipeline.followWants()
  }

  func holdReportsBack() { path.pipeline.reports.batchWasHeldBack(0) }

  func reportBytes(_ stream: Int = 0) -> [UInt8] {
    let batches = path.pipeline.reports
    return Self.bytes(batches.batch(stream))
  }

  /// The batch, which is empty afterwards.
  func takeReports(_ stream: Int = 0) throws -> ReportMessage {
    defer { path.pipeline.reports.batchWasSent(stream) }
    return try ReportMessage(reportBytes(stream))
  }

  /// Whether the kernel drops what no item looks for.
  var isFiltered: Bool {
    get { path.pipeline.isFiltered }
    set { path.pipeline.isFiltered = newValue }
  }

  var counters: Counters { path.pipeline.counters }
  var assemblerCounters: ReportAssembler.Counters { path.pipeline.assemblerCounters }
  /// The latest input's time.
  var now: Instant { path.pipeline.now ?? Instant(microseconds: 0) }
  var produced: UInt64 { path.pipeline.events.produced }

  /// Feeds one report in an event of its own, in the format of its header.
  func hear(_ report: AirReport, at milliseconds: Int64) {
    let isExtended = report.header.properties.contains(.extendedEvent)
    let packet = ReportEncoder.event(isExtended ? .extended : .legacy, report)
    #expect(receive(packet, at: milliseconds) == .reports)
  }

  /// A connectable advertisement.
  func hear(_ number: UInt64, _ rssi: Int8, _ payload: AdvertisingPayload, at milliseconds: Int64) {
    hear(AirReport(.connectable, from: .device(number), rssi: rssi, payload), at: milliseconds)
  }

  /// The scan response to it.
  func hear(response payload: AdvertisingPayload, of number: UInt64, _ rssi: Int8, at milliseconds: Int64) {
    hear(AirReport(.scanResponse, from: .device(number), rssi: rssi, payload), at: milliseconds)
  }

  @discardableResult
  func receive(_ packet: [UInt8], at milliseconds: Int64) -> Pipeline.Reception {
    receive(packet, at: Instant(microseconds: milliseconds * 1000))
  }

  @discardableResult
  func receive(_ packet: [UInt8], at time: Instant) -> Pipeline.Reception {
    defer { path.pipeline.checkInvariants() }
    return path.pipeline.receive(h4: packet.span.rawBytes, at: time)
  }

  /// Lets time pass without a packet.
  func wait(until milliseconds: Int64) {
    path.pipeline.advance(to: Instant(microseconds: milliseconds * 1000))
    path.pipeline.checkInvariants()
  }

  /// Listens to nothing from the last input to this time.
  func pause(until milliseconds: Int64) {
    path.pipeline.skipPause(until: Instant(microseconds: milliseconds * 1000))
    path.pipeline.checkInvariants()
  }

  func loseRadio(at milliseconds: Int64) {
    path.pipeline.loseRadio(at: Instant(microseconds: milliseconds * 1000))
    path.pipeline.checkInvariants()
  }

  /// Goes on with another manifest.
  @discardableResult
  func reload(
    _ manifest: GatewayManifest, identities: [IdentityKey] = [], adapterOffset: Int8 = 0,
    at milliseconds: Int64
  ) -> ReloadSummary {
    reload(
      manifest, identities: identities, adapterOffset: adapterOffset,
      at: Instant(microseconds: milliseconds * 1000))
  }

  @discardableResult
  func reload(
    _ manifest: GatewayManifest, identities: [IdentityKey] = [], adapterOffset: Int8 = 0, at time: Instant
  ) -> ReloadSummary {
    defer { path.pipeline.checkInvariants() }
    return path.reload(manifest, identities: identities, adapterOffset: adapterOffset, at: time)
  }

  /// Goes on with other items, all else being as it is by default.
  @discardableResult
  func reload(_ items: DisplayItem..., at milliseconds: Int64) -> ReloadSummary {
    reload(GatewayManifest(items), at: milliseconds)
  }

  @discardableResult
  func setAccessory(_ address: DeviceAddress, _ isAccessory: Bool = true, rhythm: UInt32 = 0) -> Bool {
    defer { path.pipeline.checkInvariants() }
    return path.pipeline.setAccessory(address, isAccessory, rhythm: rhythm)
  }

  func giveWay(to address: DeviceAddress) {
    path.pipeline.giveWay(to: address)
    path.pipeline.checkInvariants()
  }

  /// Adds an identity key between packets.
  @discardableResult
  func addIdentity(_ key: IdentityKey, at milliseconds: Int64) -> Bool {
    defer { path.pipeline.checkInvariants() }
    return path.pipeline.addIdentity(key, at: Instant(microseconds: milliseconds * 1000))
  }

  func removeIdentity(_ key: IdentityKey, at milliseconds: Int64) {
    path.pipeline.removeIdentity(key, at: Instant(microseconds: milliseconds * 1000))
    path.pipeline.checkInvariants()
  }

  var identityCount: Int { path.pipeline.identityCount }

  func device(_ number: UInt64) -> Device? { device(at: .device(number)) }

  func device(at address: DeviceAddress) -> Device? {
    path.pipeline.row(at: address).flatMap { path.pipeline.device(at: $0) }
  }

  /// Devices that have a row.
  var deviceCount: Int {
    (0..<path.pipeline.rowCount).count { path.pipeline.device(at: $0) != nil }
  }

  /// The items found for a device, as they stand now.
  func found(_ number: UInt64) -> [String] {
    guard let row = path.pipeline.row(at: .device(number)), let device = path.pipeline.device(at: row) else {
      return []
    }
    return (0..<Int(device.matchCount)).map { path.pipeline.match($0, at: row) }
      .filter(\.isFound).map { path.items[Int($0.item)].item.id }
  }

  /// How many devices each item turned away.
  var turnedAway: [Int] { path.pipeline.turnedAwayCounts(items: path.items.count) }

  /// Payloads that were parsed and matched since the last reload.
  var evaluations: UInt32 { path.pipeline.matcher.evaluation }

  /// Drops what is known about the frames that devices alternate.
  func dropKnownFrames() {
    for row in 0..<path.pipeline.rowCount {
      if let device = path.pipeline.device(at: row) {
        path.pipeline.sets.dropKnownFrames(of: device)
      }
    }
  }

  /// What is known of every device, and when something is due.
  var tables: [String] {
    (0..<path.pipeline.rowCount).compactMap { row in
      guard let device = path.pipeline.device(at: row) else { return nil }
      let matches = (0..<Int(device.matchCount)).map { "\(path.pipeline.match($0, at: row))" }
      let sets = (0..<path.pipeline.setCount(at: row)).map {
        Self.bytes(path.pipeline.data(ofSet: $0, at: row)) + [0]
          + Self.bytes(path.pipeline.response(ofSet: $0, at: row))
      }
      let claims =
        "\(device.claimedTxPower) \(device.unkeptMatches) \(device.signal.filteredRSSI ?? 0)"
      return
        "\(path.pipeline.address(at: row).bits) \(claims) \(matches) \(sets) \(path.pipeline.nextDeadline ?? now)"
    }
  }

  private static func bytes(_ span: RawSpan) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<span.byteCount { bytes.append(span.uint8(at: index)) }
    return bytes
  }

  /// Names kept for events only.
  var retiredCount: Int { path.retired.count }

  /// Sightings that were overwritten since the last call; nil when the next one is there.
  func missed() -> UInt64? {
    guard cursor.sequence < path.pipeline.events.oldest,
      case .missed(let count) = path.pipeline.events.read(&cursor)
    else { return nil }
    return count
  }

  /// The sightings since the last call.
  func sightings() -> [HeardSighting] {
    var heard: [HeardSighting] = []
    while case .event(let sequence, let sighting, let byteCount) = path.pipeline.events.read(&cursor) {
      let payload = (0..<byteCount).map { path.pipeline.events.payloadByte(of: sequence, at: $0) }
      let item = path.item(of: sighting).item.id
      heard.append(HeardSighting(sighting: sighting, item: item, payload: payload))
    }
    return heard
  }

  /// The sightings since the last call, as text: milliseconds, event, item, device, reason.
  func lines() -> [String] { sightings().map(\.line) }

  func lines(until milliseconds: Int64) -> [String] {
    wait(until: milliseconds)
    return lines()
  }
}

/// A sighting with its payload and the name of its item.
struct HeardSighting {
  let sighting: Sighting
  let item: String
  let payload: [UInt8]

  var milliseconds: Int64 { sighting.time.microseconds / 1000 }

  var line: String {
    "\(milliseconds) \(sighting.event) \(item) \(sighting.address.bits & 0xFFFF) \(sighting.reason)"
  }
}

extension DeviceAddress {
  /// A static random address that ends in a number.
  static func device(_ number: UInt64) -> Self { Self(bits: 0xC0DE << 32 | number, type: .random) }
}

extension GatewayManifest {
  /// One app with these items, and a table small enough to be checked after every packet.
  init(_ items: [DisplayItem], _ adjust: (inout Gateway) -> Void = { _ in }) {
    self.init()
    var app = App(name: "lights", account: .user("lights"))
    app.items = items
    apps = [app]
    gateway.capacities.devices = 128
    adjust(&gateway)
  }
}

extension DisplayItem {
  /// An item of the default range for everything a company makes. Devices are lost after 10 s, whatever their rhythm.
  static func company(
    _ company: UInt16, _ id: String = "bulb", _ adjust: (inout Self) -> Void = { _ in }
  ) -> Self {
    rhythmic(company, id) {
      $0.gate.lostMillisecondsMax = $0.gate.lostMilliseconds
      adjust(&$0)
      $0.gate.lostMillisecondsMax = max($0.gate.lostMilliseconds, $0.gate.lostMillisecondsMax)
    }
  }

  /// The same with the default gate, which follows a device's rhythm.
  static func rhythmic(
    _ company: UInt16, _ id: String = "bulb", _ adjust: (inout Self) -> Void = { _ in }
  ) -> Self {
    var item = Self(id: id, name: id)
    item.descriptor.companyIdentifier = company
    adjust(&item)
    return item
  }

  /// The same item with the immediate gate.
  static func immediate(
    _ company: UInt16, _ id: String = "bulb", _ adjust: (inout GateSettings) -> Void = { _ in }
  ) -> Self {
    Self.company(company, id) {
      $0.descriptor.range = .immediate
      adjust(&$0.gate)
    }
  }
}

extension AdvertisingPayload {
  /// Manufacturer data of a company with one byte of payload.
  static func made(by company: UInt16, _ byte: UInt8 = 0) -> Self {
    AdvertisingPayload().manufacturerData(company, [byte])
  }
}
