// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Chooses by touch: which device was carried to the gateway.
///
/// Eligible is a device that was outside or unseen when the request opened, or has left since, and then enters. After
/// the first such entry it waits a second: a second device in that time means that nobody can tell which one was meant,
/// and both must leave and come again. Capacity: ``devicesMax`` devices that are inside; beyond that nothing is chosen
/// until some have left.
public struct TouchChoice: Sendable {
  public enum Decision: Equatable, Sendable {
    /// This device, and no other, was brought.
    case chosen(DeviceAddress)
    /// Several came at once; none is chosen.
    case several([DeviceAddress])
  }

  public static let waitMilliseconds: Int64 = 1000
  public static let devicesMax = 256

  /// Devices that are inside, and must leave before they can be chosen.
  private var spent: Set<DeviceAddress>
  /// Entered in this second.
  private var entered: [DeviceAddress] = []
  private var decisionTime: Instant?
  private var isCrowded = false

  /// `inside` are the devices that are at the gateway when the request opens.
  public init(inside: Set<DeviceAddress>) {
    spent = inside
    isCrowded = inside.count > Self.devicesMax
  }

  /// When ``decide(at:)`` is due.
  public var deadline: Instant? { decisionTime }

  /// The gate let a device in.
  public mutating func enter(_ device: DeviceAddress, at now: Instant) {
    guard !spent.contains(device), !entered.contains(device), !isCrowded else { return }
    guard spent.count + entered.count < Self.devicesMax else {
      isCrowded = true
      return
    }
    entered.append(device)
    if decisionTime == nil { decisionTime = now.advanced(milliseconds: Self.waitMilliseconds) }
  }

  /// A device was inside before anybody could see it: it must leave and come again.
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

  /// A device has left, or is heard no more. One that leaves within its second was not held there.
  public mutating func leave(_ device: DeviceAddress) {
    spent.remove(device)
    entered.removeAll { $0 == device }
    if entered.isEmpty { decisionTime = nil }
    if isCrowded, spent.count < Self.devicesMax { isCrowded = false }
  }

  /// Another request waits for the same device: neither gets it, until it has left and come again.
  public mutating func contest(_ device: DeviceAddress) {
    guard entered.contains(device) else { return }
    disregard(device)
  }

  /// What the second brought; nil while it is not over.
  public mutating func decide(at now: Instant) -> Decision? {
    guard let decisionTime, decisionTime <= now else { return nil }
    self.decisionTime = nil
    let devices = entered
    entered = []
    spent.formUnion(devices)
    return devices.count == 1 ? .chosen(devices[0]) : .several(devices)
  }
}
