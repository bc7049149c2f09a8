// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
import Registry

/// An open picker: the items it looks for, how a candidate is chosen, and the devices and networks it has found.
public struct PickerRequest: Sendable {
  /// How the choice is made.
  public enum Choice: Equatable, Sendable {
    /// By an operator, or by a script in place of one.
    case person
    /// By holding the accessory at the gateway.
    case touch
    /// The first that the gate lets in.
    case firstImmediate
    /// The device with this address, in the low 48 bits.
    case device(UInt64)
    /// The network with this name.
    case network([UInt8])
  }

  /// The longest time that a touch may take, which is also its default.
  public static let touchMilliseconds: Int64 = 300_000

  public let items: [PickerItem]
  /// The places among them of those that devices are looked for with, by their ids.
  let places: [String: Int]
  public let settings: PickerSettings
  public let choice: Choice
  /// An operator sees what is shown and gets time to choose. An unattended picker ends when its own time is over.
  public let isAttended: Bool
  /// At least one item can be chosen by touch.
  public let isTouchable: Bool
  let idleMilliseconds: Int64
  public internal(set) var candidates: CandidateList
  var touches = TouchTracking()
  /// The accessory that gets the chosen device; nil when a new one is set up.
  var replaced: RandomIdentifier?
  /// How many accessories are still to be set up.
  public internal(set) var remaining: Int
  /// When it was opened, or the last accessory was set up.
  var lookingSince: Instant

  public init(
    _ items: [PickerItem], settings: PickerSettings, choice: Choice, isTouchable: Bool = false,
    count: Int = 1, isAttended: Bool = true, limits: Limits, at now: Instant
  ) {
    precondition(!items.isEmpty && count > 0, "a picker looks for something")
    self.items = items
    places = Dictionary(
      items.enumerated().filter { $1.migration == nil }.map { ($1.item.id, $0) },
      uniquingKeysWith: { first, _ in first })
    (self.settings, self.choice, self.isTouchable) = (settings, choice, isTouchable)
    self.isAttended = isAttended && choice == .person
    candidates = CandidateList(
      countMax: Int(limits.candidates), isFiltered: settings.options.contains(.filterDiscoveryResults))
    idleMilliseconds = Int64(limits.pickerIdleSeconds) * 1000
    remaining = count
    lookingSince = now
  }

  public var isFiltered: Bool { candidates.isFiltered }

  /// The items whose devices operators are asked to migrate.
  public var migrations: [PickerItem] { items.filter { $0.migration != nil } }

  /// The items that devices are looked for with.
  var searches: [PickerItem] { items.filter { $0.migration == nil } }

  /// Whether one of its items is found by Bluetooth.
  var searchesDevices: Bool {
    searches.contains { !$0.item.descriptor.isFoundByNetwork && !$0.item.descriptor.hasOnlyWiFiAware }
  }

  var searchesNetworks: Bool { searches.contains { $0.item.descriptor.isFoundByNetwork } }

  /// Whether a device that is found by Bluetooth can be chosen.
  var awaitsDevices: Bool {
    if case .network = choice { false } else { searchesDevices }
  }

  /// Whether a network can be chosen.
  var awaitsNetworks: Bool {
    switch choice {
    case .person, .network: searchesNetworks
    case .touch, .firstImmediate, .device: false
    }
  }

  /// Whether a device has to be held at the gateway for one of its items.
  public var isImmediate: Bool { searches.contains { $0.item.descriptor.range == .immediate } }

  /// Returns when a picker that was opened at `opening` ends by itself if nothing is being set up; nil for never.
  func end(openedAt opening: Instant) -> Instant? {
    switch choice == .touch ? settings.wantedTimeout ?? .unbounded : settings.discoveryTimeout {
    case .seconds(let seconds):
      let wanted = Int64(seconds) * 1000
      guard choice == .touch else { return lookingSince.advanced(milliseconds: wanted) }
      return opening.advanced(milliseconds: min(wanted, Self.touchMilliseconds))
    case .unbounded:
      return choice == .touch ? opening.advanced(milliseconds: Self.touchMilliseconds) : nil
    }
  }

  /// The number of the candidate that was chosen before it was found.
  var preselectedCandidate: UInt32? {
    let wanted = candidates.candidates.first { candidate in
      guard candidate.isShown else { return false }
      return switch choice {
      case .person, .touch: false
      case .firstImmediate: items[candidate.item].item.descriptor.range == .immediate
      case .device(let bits): candidate.device.address?.bits == bits
      case .network(let name): candidate.device == .network(name)
      }
    }
    return wanted?.number
  }

  /// The ids of items whose devices are chosen by holding them at the gateway.
  var touchableItems: [String] {
    searches.filter { item in
      item.item.descriptor.range == .immediate && (choice == .touch || item.item.selection == .touch)
    }.map(\.item.id)
  }

  /// Returns why the picker ends when its time is over. `isChoosing`: a candidate was shown that could be chosen.
  func failureAtEnd(isChoosing: Bool) -> SetupError {
    if choice == .touch, let refusal = touches.refusal {
      return SetupError(.discoveryTimeout, refusal.reason, cure: refusal.cure)
    }
    if !searches.isEmpty, searches.allSatisfy(\.item.descriptor.hasOnlyWiFiAware) { return .nothingSearched }
    if isFiltered, !isChoosing, candidates.discoveredCount > 0 {
      return .nothingShown(of: candidates.discoveredCount)
    }
    guard case .seconds(let seconds) = settings.discoveryTimeout else { return .nothingFound }
    let milliseconds = Int64(seconds) * 1000
    switch choice {
    case .person: return isChoosing ? .noChoice(inMilliseconds: milliseconds) : .nothingFound
    case .touch: return .nothingFound
    case .firstImmediate:
      return SetupError(
        .discoveryTimeout, "nothing that matches was held at the gateway in \(Self.spoken(milliseconds))",
        cure: "hold the accessory at the gateway; accessoryctl try says how near a device has come")
    case .device(let bits):
      let address = AddressText.text(of: bits)
      return SetupError(
        .discoveryTimeout,
        "the device \(address) was not among the devices to choose from within \(Self.spoken(milliseconds))",
        cure:
          "accessoryctl explain \(address) says whether it is not in sight, does not match, or was turned away by a "
          + "full item")
    case .network(let name):
      let network = String(decoding: name, as: UTF8.self).quotedForDisplay
      return SetupError(
        .discoveryTimeout,
        "the network \(network) was not among the networks to choose from within \(Self.spoken(milliseconds))",
        cure: "accessoryctl explain --network NAME says whether it is not in sight or does not match")
    }
  }

  static func spoken(_ milliseconds: Int64) -> String {
    guard milliseconds >= 60_000, milliseconds % 60_000 == 0 else { return "\(milliseconds / 1000) s" }
    return milliseconds == 60_000 ? "a minute" : "\(milliseconds / 60_000) minutes"
  }
}

/// What one item of a picker looks for: a display item of the manifest, or one that the app supplied in its call.
public struct PickerItem: Equatable, Sendable {
  /// An item that the app supplied has an id that no manifest can give.
  public var item: DisplayItem
  public var isAppSupplied: Bool
  /// The device that the app knew before; nothing is looked for then.
  public var migration: MigratedDevice?
  /// Its place in the call; nil for items of the manifest that no call lists.
  public var index: Int?

  public init(_ item: DisplayItem, isAppSupplied: Bool = false, migration: MigratedDevice? = nil) {
    (self.item, self.isAppSupplied, self.migration) = (item, isAppSupplied, migration)
  }
}

// MARK: - Errors of pickers that end by themselves

extension SetupError {
  /// Nothing was found in time.
  public static let nothingFound = Self(
    .discoveryTimeout, "nothing that matches was found",
    cure: "bring the accessory near and switch it on; accessoryctl try says why a device does not match")
  fileprivate static let nothingSearched = Self(
    .discoveryTimeout, WiFiAwareService.reasonNothingIsSearched,
    cure: "add ssid, ssidPrefix or a Bluetooth property to the descriptor")

  /// The error of a filtered picker that showed no device.
  fileprivate static func nothingShown(of count: Int) -> Self {
    Self(
      .discoveryTimeout, "the app received \(count) \(count == 1 ? "device" : "devices") and showed none",
      cure: "call UpdatePicker with the devices that can be chosen")
  }

  static let radioDown = Self(.connectionFailed, "the radio is down", cure: "see accessoryctl status")

  static func networksDown(_ reason: String) -> Self {
    Self(.connectionFailed, reason, cure: "see accessoryctl status")
  }

  /// Adds why no networks were looked for beside the devices.
  func addingNetworksDown(_ reason: String) -> Self {
    Self(code, field: field, "\(self.reason), and networks cannot be read: \(reason)", cure: cure)
  }

  static func noChoice(inMilliseconds milliseconds: Int64) -> Self {
    .userCancelled(reason: "no operator chose a device in \(PickerRequest.spoken(milliseconds))")
  }
}

/// How a picker is shown: `ASPickerDisplaySettings`.
public struct PickerSettings: Hashable, Sendable {
  /// `ASPickerDisplaySettings.Options` with its raw values.
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app receives what was discovered, and decides what is shown.
    public static let filterDiscoveryResults = Options(rawValue: 1 << 0)
  }

  /// How long a picker waits for a first candidate: `ASPickerDisplaySettings.DiscoveryTimeout`.
  public enum DiscoveryTimeout: Hashable, Sendable {
    case seconds(Int32)
    /// Only the app or an operator ends it.
    case unbounded

    public static let standard = seconds(30)
    public static let short = seconds(60)
    public static let medium = seconds(120)
    public static let long = seconds(300)
  }

  /// nil when the app asked for none: then ``DiscoveryTimeout/standard``, or the time of a touch.
  public private(set) var wantedTimeout: DiscoveryTimeout?
  public var discoveryTimeout: DiscoveryTimeout {
    get { wantedTimeout ?? .standard }
    set { wantedTimeout = newValue }
  }
  public var options: Options = []

  public init() {}
}
