// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

/// The devices and networks that an open picker has found.
///
/// Capacity: `countMax` candidates. A stronger one replaces the weakest. Devices without a slot are kept in ``hidden``
/// while they are received, up to four times as many.
public struct CandidateList: Sendable {
  /// How long a filtered picker waits for a scan response before it reports a device to its app.
  public static let responseMilliseconds: Int64 = 300

  public let countMax: Int
  /// The app receives what was found, and decides what is shown.
  public let isFiltered: Bool
  public private(set) var candidates: [PickerCandidate] = []
  /// Devices without a slot.
  public private(set) var hidden: Set<DeviceIdentity> = []
  /// How many devices were reported to the app.
  public private(set) var discoveredCount = 0
  /// The app has decided what is shown.
  private(set) var wasUpdated = false
  /// Candidates of a filtered picker that were lost. One that comes back keeps its number and is not reported again.
  /// Capacity: as many as ``hidden``; when it is full, a lost candidate is forgotten.
  private var lost: [DeviceIdentity: PickerCandidate] = [:]
  private var lastNumber: UInt32 = 0
  /// What each candidate sent, for the app.
  private var reports: [UInt32: DeviceReport] = [:]

  init(countMax: Int, isFiltered: Bool) { (self.countMax, self.isFiltered) = (countMax, isFiltered) }

  public func candidate(_ number: UInt32) -> PickerCandidate? { candidates.first { $0.number == number } }

  public func candidate(at device: DeviceIdentity) -> PickerCandidate? {
    candidates.first { $0.device == device }
  }

  /// The candidates that can be chosen.
  public var shown: [PickerCandidate] { candidates.filter(\.isShown) }

  /// When ``discover(at:)`` next has something new to report.
  var deadline: Instant? {
    let waiting = candidates.filter { isFiltered && !$0.isDiscovered }
    return waiting.map { $0.firstSeen.advanced(milliseconds: Self.responseMilliseconds) }.min()
  }

  // MARK: - Devices

  /// Updates the list with a device that was received, for the first time or again; `item` is the index of the picker's
  /// item that it matches. The candidate `chosen` keeps its slot. Without a slot for the device nothing changes.
  mutating func update(with device: MatchedDevice, item: Int, keeping chosen: UInt32?, at now: Instant) {
    if let index = candidates.firstIndex(where: { $0.device == device.identity }) {
      candidates[index].level = device.level
      candidates[index].isSilent = device.isSilent
      candidates[index].hasResponded = candidates[index].hasResponded || device.hasResponded
    } else if !admit(device, item: item, keeping: chosen, at: now) {
      return
    }
    // A device that sends a frame which does not match keeps the one that did.
    if isFiltered, let candidate = candidate(at: device.identity), let report = device.report {
      reports[candidate.number] = report
    }
  }

  /// Returns whether there was a slot for the device.
  private mutating func admit(
    _ device: MatchedDevice, item: Int, keeping chosen: UInt32?, at now: Instant
  ) -> Bool {
    if candidates.count == countMax, !freeSlot(for: device, keeping: chosen) {
      // Devices beyond this number could never be shown, so they are not remembered.
      if hidden.count < rememberedMax { hidden.insert(device.identity) }
      return false
    }
    hidden.remove(device.identity)
    if var candidate = lost.removeValue(forKey: device.identity), candidate.item == item {
      candidate.level = device.level
      candidates.append(candidate)
      return true
    }
    lastNumber += 1
    candidates.append(
      PickerCandidate(
        number: lastNumber, device: device.identity, item: item, firstSeen: now, level: device.level,
        hasResponded: device.hasResponded))
    return true
  }

  /// Removes the weakest candidate for a stronger one, or a silent one for any, unless it was chosen or the app shows it.
  private mutating func freeSlot(for device: MatchedDevice, keeping chosen: UInt32?) -> Bool {
    let free = candidates.indices.filter { index in
      !(isFiltered && candidates[index].isShown) && candidates[index].number != chosen
    }
    let weakest = free.min { candidates[$0].rank < candidates[$1].rank }
    guard let weakest, !device.isSilent, candidates[weakest].rank < device.level.map(Int.init) ?? .min + 1
    else {
      return false
    }
    hidden.insert(candidates[weakest].device)
    forget(at: weakest)
    return true
  }

  private var rememberedMax: Int { 4 * countMax }

  private mutating func forget(at index: Int) {
    let candidate = candidates.remove(at: index)
    guard isFiltered, candidate.isDiscovered, lost.count < rememberedMax else { return }
    lost[candidate.device] = candidate
  }

  /// Removes a device that is no longer received, no longer matches, or has become the app's accessory. The candidate
  /// `chosen` stays.
  mutating func lose(_ device: DeviceIdentity, keeping chosen: UInt32?) {
    hidden.remove(device)
    guard let index = candidates.firstIndex(where: { $0.device == device }),
      candidates[index].number != chosen
    else { return }
    forget(at: index)
  }

  /// Removes a candidate that has become an accessory.
  mutating func remove(_ number: UInt32) { candidates.removeAll { $0.number == number } }

  // MARK: - Reports to the app, and what is shown

  /// Returns the numbers of the candidates to report to the app of a filtered picker now, each only once.
  mutating func discover(at now: Instant) -> [UInt32] {
    var numbers: [UInt32] = []
    for index in candidates.indices where !candidates[index].isDiscovered {
      let waited = now.milliseconds(since: candidates[index].firstSeen)
      guard candidates[index].hasResponded || waited >= Self.responseMilliseconds else { continue }
      candidates[index].isDiscovered = true
      discoveredCount += 1
      numbers.append(candidates[index].number)
    }
    return numbers
  }

  /// Shows every candidate. Returns whether there is one.
  mutating func showAll() -> Bool {
    for index in candidates.indices { candidates[index].isShown = true }
    return !candidates.isEmpty
  }

  /// Shows exactly these candidates of a filtered picker. Changes nothing when one of them was never reported to the
  /// app, and returns the index of the first such one.
  mutating func show(_ items: [ShownCandidate]) -> Int? {
    if let unknown = items.firstIndex(where: { !wasDiscovered($0.number) }) { return unknown }
    wasUpdated = true
    for index in candidates.indices { candidates[index].show(as: items) }
    for device in lost.keys { lost[device]?.show(as: items) }
    return nil
  }

  /// Whether the candidate was reported to the app; it may have been lost since.
  private func wasDiscovered(_ number: UInt32) -> Bool {
    candidate(number)?.isDiscovered ?? lost.values.contains { $0.number == number }
  }

  /// Returns a candidate as its app sees it.
  func discoveredAccessory(_ number: UInt32, among items: [PickerItem]) -> DiscoveredAccessory? {
    guard let candidate = candidate(number), let report = reports[number] else { return nil }
    let item = items[candidate.item]
    return DiscoveredAccessory(
      number: number, itemIndex: item.index ?? candidate.item, item: item.isAppSupplied ? nil : item.item,
      ssid: candidate.device.ssid, report: report)
  }
}

/// A device or a network that an open picker found.
public struct PickerCandidate: Equatable, Sendable {
  /// From 1, in the order of discovery; means nothing outside its picker.
  public let number: UInt32
  /// The address as events give it, or the network's name.
  public let device: DeviceIdentity
  /// Index of the picker's item that it matches: the first, when there are several.
  public let item: Int
  public let firstSeen: Instant
  /// The level that gates decide on, or the network's signal, in sixteenths of a dB; nil without a reading.
  public internal(set) var level: Int16?
  /// It has been silent for long enough to give way to any other.
  var isSilent = false
  /// Its scan response was received, so its whole payload is known.
  public internal(set) var hasResponded: Bool
  /// It was reported to the app of a filtered picker.
  var isDiscovered = false
  /// It can be chosen: the picker is not filtered, or the app shows it.
  public internal(set) var isShown = false
  /// How the app of a filtered picker shows it.
  public internal(set) var shownAs: ShownCandidate?

  /// By level; those without one come after, and silent ones last.
  var rank: Int { isSilent ? .min : level.map(Int.init) ?? .min + 1 }

  /// The name and image that the app of a filtered picker gave it.
  public var appName: String? { shownAs?.name }
  public var appImage: String? { shownAs?.image }

  /// Shows the candidate as one of these, or hides it.
  mutating func show(as items: [ShownCandidate]) {
    shownAs = items.first { $0.number == number }
    isShown = shownAs != nil
  }
}

/// What a device sent last, as the app of a filtered picker receives it.
public struct DeviceReport: Equatable, Sendable {
  /// Advertising data, then scan response; empty for a network.
  public var payload: [UInt8]
  /// dBm.
  public var rssi: Int8?
  /// The device invites connections.
  public var isConnectable: Bool
  /// When it was received, by the radio's clock.
  public var time: Instant

  public init(payload: [UInt8], rssi: Int8?, isConnectable: Bool, time: Instant) {
    (self.payload, self.rssi, self.isConnectable, self.time) = (payload, rssi, isConnectable, time)
  }
}

/// How the app of a filtered picker shows a device that it discovered: `ASDiscoveredDisplayItem`. What is nil is as in the
/// item that the device matches.
public struct ShownCandidate: Equatable, Sendable {
  /// The candidate's number.
  public let number: UInt32
  public var name: String?
  public var image: String?
  public var setupOptions: SetupOptions?
  public var renameOptions: RenameOptions?
  /// They become part of the accessory's descriptor.
  public var supportedOptions: SupportOptions?

  public init(number: UInt32) { self.number = number }
}

extension PickerRequest {
  /// Returns the item by which a candidate is set up: the one that it matches, with the options that the app gave the
  /// candidate. The candidate's name and image are no part of it.
  public func item(of candidate: PickerCandidate) -> PickerItem {
    var item = items[candidate.item]
    guard let shown = candidate.shownAs else { return item }
    if let options = shown.setupOptions { item.item.setupOptions = options }
    if let options = shown.renameOptions { item.item.renameOptions = options }
    if let options = shown.supportedOptions { item.item.descriptor.supportedOptions = options }
    return item
  }
}
