// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Chooses by touch: which device was carried to the gateway.
///
/// A device is eligible when it was outside or unseen when the request opened, or has left since, then enters, and has
/// become stronger by it: ``TouchTracking`` judges that.
/// After the first such entry the choice waits one second. If another device enters in that time, it is not clear which
/// one was meant, and both must leave and come again. Capacity: ``devicesMax`` devices that are inside; beyond that
/// nothing is chosen until some have left.
public struct TouchChoice: Sendable {
  public enum Decision: Equatable, Sendable {
    /// Only this device was held at the gateway.
    case chosen(DeviceAddress)
    /// Several were held at once; none is chosen.
    case several([DeviceAddress])
  }

  public static let waitMilliseconds: Int64 = 1000
  public static let devicesMax = 256

  /// Devices that are inside, and must leave before they can be chosen.
  private var spent: Set<DeviceAddress>
  /// Devices that entered in this second.
  private var entered: [DeviceAddress] = []
  private var decisionTime: Instant?
  private var isCrowded = false

  /// Creates a choice; `inside` are the devices that are held at the gateway when the request opens.
  public init(inside: Set<DeviceAddress>) {
    spent = inside
    isCrowded = inside.count > Self.devicesMax
  }

  /// When ``decide(at:)`` is due.
  public var deadline: Instant? { decisionTime }

  /// Records that a device is held: the gate has let it in, and its level has risen.
  public mutating func enter(_ device: DeviceAddress, at now: Instant) {
    guard !spent.contains(device), !entered.contains(device), !isCrowded else { return }
    guard spent.count + entered.count < Self.devicesMax else {
      isCrowded = true
      return
    }
    entered.append(device)
    if decisionTime == nil { decisionTime = now.advanced(milliseconds: Self.waitMilliseconds) }
  }

  /// Ignores a device, which was inside before the radio could receive it, until it has left and come again.
  public mutating func disregard(_ device: DeviceAddress) {
    guard !spent.contains(device) else { return }
    guard spent.count + entered.count < Self.devicesMax else {
      isCrowded = true
      return
    }
    entered.removeAll { $0 == device }
    spent.insert(device)
    if entered.isEmpty { decisionTime = nil }
  }

  /// Removes a device that has left or is no longer received. One that leaves within its second is not chosen.
  public mutating func leave(_ device: DeviceAddress) {
    spent.remove(device)
    entered.removeAll { $0 == device }
    if entered.isEmpty { decisionTime = nil }
    if isCrowded, spent.count < Self.devicesMax { isCrowded = false }
  }

  /// Ignores a device for which another request waits too, until it has left and come again.
  public mutating func contest(_ device: DeviceAddress) {
    guard entered.contains(device) else { return }
    disregard(device)
  }

  /// Returns the decision once the second is over; nil before.
  public mutating func decide(at now: Instant) -> Decision? {
    guard let decisionTime, decisionTime <= now else { return nil }
    self.decisionTime = nil
    let devices = entered
    entered = []
    spent.formUnion(devices)
    return devices.count == 1 ? .chosen(devices[0]) : .several(devices)
  }
}

/// A device that is inside the gate of an item.
public struct HeldDevice: Equatable, Sendable {
  /// 12 dB: so much stronger than before is a device that was carried to the gateway. Levels are Q4.
  static let rise = 12 << 4
  /// 5 dB: how far above its threshold an adapter that is not calibrated lets in a device that was not seen before.
  static let uncalibratedMargin = 5 << 4
  /// How long its level must be so high: as long as the gate asks for.
  static let strongMilliseconds: Int64 = 400
  /// How long a device counts as not seen before.
  public static let newMilliseconds: Int64 = 10_000

  /// The id of the first item that let it in.
  public var item: String
  /// The filtered level in Q4.
  public var level: Int
  /// The level at which the item's gate lets in, in Q4.
  public var enterLevel: Int
  /// The median of its levels in the ten seconds before, in dBm; nil without levels.
  public var levelBefore: Int8?
  /// Its first report since the device was last silent.
  public var appeared: Instant

  public init(item: String, level: Int, enterLevel: Int, levelBefore: Int8?, appeared: Instant) {
    (self.item, self.level, self.enterLevel, self.levelBefore) = (item, level, enterLevel, levelBefore)
    self.appeared = appeared
  }

  /// Whether the device is 12 dB stronger than before it entered: it was carried, and does not lie where the level of a
  /// strong adapter reaches the threshold.
  func hasRisen(over levelBefore: Int8?) -> Bool {
    levelBefore.map { level - Int($0) << 4 >= Self.rise } ?? false
  }

  func isNew(at now: Instant) -> Bool { now.milliseconds(since: appeared) < Self.newMilliseconds }
}

/// The devices that are held at the gateway, for one picker.
public struct TouchTracking: Sendable {
  /// A device that is inside now.
  struct Entry {
    /// The item whose gate has let it in.
    var item: String
    /// Its level before it entered; nil when it was new then, for the first levels of a device are too few to compare.
    var levelBefore: Int8?
    /// Whether ``TouchTracking/choice`` knows it.
    var isEntered: Bool
    /// Since when its level is high enough for an adapter that is not calibrated.
    var strongSince: Instant?

    /// Whether the device has come near: its level has risen, or it was not seen before and is strong enough.
    mutating func isCarried(_ device: HeldDevice, isCalibrated: Bool, at now: Instant) -> Bool {
      guard device.isNew(at: now) else { return device.hasRisen(over: levelBefore) }
      if isCalibrated { return true }
      guard device.level >= device.enterLevel + HeldDevice.uncalibratedMargin else {
        strongSince = nil
        return false
      }
      let since = strongSince ?? now
      strongSince = since
      return now.milliseconds(since: since) >= HeldDevice.strongMilliseconds
    }
  }

  /// nil until the first candidate refresh.
  public var choice: TouchChoice?
  private(set) var held: [DeviceAddress: Entry] = [:]
  /// Why the last device that was held was not set up, as it is reported to the app.
  var refusal: TouchError?

  public init() {}

  /// Updates the devices that are inside now. `contested` are those that another request looks for too; `isSettled`:
  /// devices appear and disappear because they are carried; `isCalibrated`: levels mean what they say. Returns the
  /// devices that were refused because they are contested.
  public mutating func follow(
    _ held: [DeviceAddress: HeldDevice], contested: Set<DeviceAddress>, isSettled: Bool, isCalibrated: Bool,
    at now: Instant
  ) -> [DeviceAddress] {
    guard var choice else {
      self.choice = TouchChoice(inside: Set(held.keys))
      self.held = held.mapValues { Entry(item: $0.item, levelBefore: $0.levelBefore, isEntered: true) }
      return []
    }
    var refused: [DeviceAddress] = []
    var entries: [DeviceAddress: Entry] = isSettled ? [:] : self.held
    for (device, state) in held {
      var entry =
        self.held[device]
        ?? Entry(
          item: state.item, levelBefore: state.isNew(at: now) ? nil : state.levelBefore, isEntered: false)
      entry.item = state.item
      if !isSettled, self.held[device] == nil {
        choice.disregard(device)
        entry.isEntered = true
      } else if !entry.isEntered, entry.isCarried(state, isCalibrated: isCalibrated, at: now) {
        entry.isEntered = true
        choice.enter(device, at: now)
        if contested.contains(device) {
          choice.contest(device)
          refused.append(device)
        }
      }
      entries[device] = entry
    }
    if isSettled { for device in self.held.keys where held[device] == nil { choice.leave(device) } }
    self.held = entries
    self.choice = choice
    return refused
  }
}

/// Why a device that was held at the gateway was not set up, as a sentence for operators.
public struct TouchError: Equatable, Sendable {
  public let reason: String
  public let cure: String

  public var sentence: String { "\(reason); \(cure)" }

  /// The refusal as the request's own app may know it, without what other apps look for.
  var forApp: Self { self == .contested ? .unnamed : self }

  static let contested = Self(
    reason: "two requests look for the device that was held", cure: "deny one of them")
  private static let unnamed = Self(
    reason: "the device that was held was not set up",
    cure: "ask the gateway's operator why, and hold it again")
  static let several = Self(
    reason: "several devices were held at once", cure: "take them all away and hold one")
  static let lost = Self(reason: "the device that was held was lost", cure: "hold it again")
  static let changesAddress = Self(
    reason: "the device changes its address and gave no key", cure: "choose it in accessoryctl pick")
}
