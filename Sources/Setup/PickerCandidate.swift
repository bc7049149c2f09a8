// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

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
    self.payload = payload
    self.rssi = rssi
    self.isConnectable = isConnectable
    self.time = time
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
