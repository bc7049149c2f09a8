// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Chooses by touch: which device was carried to the gateway.
///
/// A device is eligible when it was outside or unseen when the request opened, or has left since, and then enters.
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

  /// Records that the gate has let a device in.
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

/// The devices that are held at the gateway, for one picker.
struct TouchTracking: Sendable {
  /// nil until the first candidate refresh.
  var choice: TouchChoice?
  /// The devices at the gateway now, each with the item whose gate has let it in.
  private(set) var held: [DeviceAddress: String] = [:]
  /// Why the last device that was held was not set up, as it is reported to the app.
  var refusal: TouchError?

  /// Updates the devices that are held now. `contested` are those that another request looks for too; `isSettled`:
  /// devices appear and disappear because they are carried. Returns the devices that were refused because they are
  /// contested.
  mutating func follow(
    _ held: [DeviceAddress: String], contested: Set<DeviceAddress>, isSettled: Bool, at now: Instant
  ) -> [DeviceAddress] {
    let inside = Set(held.keys)
    guard var choice else {
      self.choice = TouchChoice(inside: inside)
      self.held = held
      return []
    }
    var refused: [DeviceAddress] = []
    for device in inside.subtracting(self.held.keys) {
      guard isSettled else {
        choice.disregard(device)
        continue
      }
      choice.enter(device, at: now)
      if contested.contains(device) {
        choice.contest(device)
        refused.append(device)
      }
    }
    if isSettled { for device in Set(self.held.keys).subtracting(inside) { choice.leave(device) } }
    self.held = isSettled ? held : self.held.merging(held) { _, new in new }
    self.choice = choice
    return refused
  }
}

/// Why a device that was held at the gateway was not set up, as a sentence for operators.
public struct TouchError: Equatable, Sendable {
  public let reason: String
  public let cure: String

  public init(_ reason: String, cure: String) {
    self.reason = reason
    self.cure = cure
  }

  public var sentence: String { "\(reason); \(cure)" }

  /// The refusal as the request's own app may know it, without what other apps look for.
  var forApp: Self { self == .contested ? .unnamed : self }
}

extension TouchError {
  static let contested = Self("two requests look for the device that was held", cure: "deny one of them")
  private static let unnamed = Self(
    "the device that was held was not set up", cure: "ask the gateway's operator why, and hold it again")
  static let several = Self("several devices were held at once", cure: "take them all away and hold one")
  static let lost = Self("the device that was held was lost", cure: "hold it again")
  static let changesAddress = Self(
    "the device changes its address and gave no key", cure: "choose it in accessoryctl pick")
}
