// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A device that an open picker found.
public struct PickerCandidate: Equatable, Sendable {
  /// From 1, in the order of discovery; means nothing outside its picker.
  public let number: UInt32
  public let device: DeviceAddress
  /// Which of the picker's items it matches: the first, when there are several.
  public let item: Int
  public let firstSeen: Instant
  /// The level that gates decide on, in sixteenths of a dB; nil without a reading.
  public internal(set) var level: Int16?
  /// Whether the gate has let it in; items without a gate let everything in.
  public internal(set) var isInside: Bool
  /// Its scan response has come, so that all is known that it says.
  public internal(set) var hasResponded: Bool
  /// In a filtered picker: the app was told of it.
  var isDiscovered = false
  /// It can be chosen: not filtered, or the app has said so.
  public internal(set) var isShown = false
  /// What a filtered picker's app calls it, and its image.
  public internal(set) var appName: String?
  public internal(set) var appImage: String?
}

extension PickerCandidate {
  /// The app shows it, as that, or not.
  mutating func show(as items: [(number: UInt32, name: String?, image: String?)]) {
    let item = items.first { $0.number == number }
    isShown = item != nil
    appName = item?.name
    appImage = item?.image
  }
}

/// What a picker hears of a device.
public struct CandidateReport: Equatable, Sendable {
  public var device: DeviceAddress
  public var item: Int
  public var level: Int16?
  public var isInside: Bool
  public var hasResponded: Bool

  public init(_ device: DeviceAddress, item: Int, level: Int16?, isInside: Bool, hasResponded: Bool) {
    self.device = device
    self.item = item
    self.level = level
    self.isInside = isInside
    self.hasResponded = hasResponded
  }
}
