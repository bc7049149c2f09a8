// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
public import HCI
import Interfaces

/// The readings of a device that is held at 1 m from the adapter, and what they say about it.
///
/// Capacity: `devicesMax` devices while none is chosen, later ones are left out; as many readings of each as were asked
/// for.
public struct Calibration: Sendable {
  /// What a device of 0 dBm reads at 1 m, in dBm: the median over what makers of beacons publish.
  public static let usualPower = -59
  /// The most that the quartiles may lie apart, in dB. Noise of 6 dB, the most that is published for a device at rest, is
  /// 8 dB between the quartiles, and leaves the median of 100 readings within 1 dB; more means that a person is moving
  /// nearby.
  public static let spreadMax = 8
  /// What a board profile takes.
  public static let offsets = -40...40
  /// How many dB the strongest device must be above the next one.
  public static let marginMin = 6
  public static let devicesMax = 256
  /// How many readings a device needs before it is chosen by strength.
  static let choiceReadingsMin = 3

  /// The readings of one device.
  public struct Readings: Equatable, Sendable {
    public let address: DeviceAddress
    /// dBm.
    public fileprivate(set) var levels: [Int] = []
    /// Reports without a level, or with an invalid one (`ReportHeader.hasReading`).
    public fileprivate(set) var invalidCount = 0

    /// The median; of an even count the weaker one, as the signal gate computes it.
    public var median: Int? { quantile(quarters: 2) }

    /// Between the quartiles, in dB.
    public var spread: Int? {
      guard let lower = quantile(quarters: 1), let upper = quantile(quarters: 3) else { return nil }
      return upper - lower
    }

    private func quantile(quarters: Int) -> Int? {
      levels.isEmpty ? nil : levels.sorted()[(levels.count - 1) * quarters / 4]
    }
  }

  /// Why no device is the strongest.
  public enum ChoiceError: Error, Equatable, Sendable {
    case nothingHeard
    case severalStrong(Readings, Readings)
  }

  /// Why readings give no offset.
  public enum OffsetError: Error, Equatable, Sendable {
    case spread(Int)
    case outOfRange(offset: Int)
  }

  /// How many valid readings are wanted.
  public let readingsMax: Int
  /// The low 48 bits of the device's address; nil until it is chosen.
  public private(set) var deviceBits: UInt64?
  private var devices: [Readings] = []

  public init(readingsMax: Int, deviceBits: UInt64? = nil) {
    precondition(readingsMax > 0)
    self.readingsMax = readingsMax
    self.deviceBits = deviceBits
  }

  /// The chosen device's readings; nil before its first report.
  public var readings: Readings? {
    guard let deviceBits else { return nil }
    return devices.first { $0.address.bits == deviceBits }
  }

  public var isComplete: Bool { readings.map { $0.levels.count >= readingsMax } ?? false }

  /// Adds the readings in one packet of the controller, which begins with its H4 indicator.
  public mutating func addPacket(_ packet: [UInt8]) {
    guard packet.first == PacketKind.event.rawValue else { return }
    let bytes = packet.span.rawBytes
    guard let event = try? Event(parsing: bytes.extracting(1..<bytes.byteCount)),
      var reports = AdvertisingReports(event)
    else { return }
    while true {
      do throws(ReportError) {
        guard let report = try reports.next() else { return }
        addReading(report.header)
      } catch {
        continue
      }
    }
  }

  /// A scan response is the same moment as its advertisement, and fragments are one advertisement.
  private mutating func addReading(_ header: ReportHeader) {
    guard header.address.type != .anonymous, !header.properties.contains(.scanResponse),
      header.dataStatus != .incomplete
    else { return }
    if let deviceBits, header.address.bits != deviceBits { return }
    guard let slot = slot(of: header.address) else { return }
    guard header.hasReading else {
      devices[slot].invalidCount += 1
      return
    }
    if devices[slot].levels.count < readingsMax { devices[slot].levels.append(Int(header.rssi)) }
  }

  private mutating func slot(of address: DeviceAddress) -> Int? {
    if let slot = devices.firstIndex(where: { $0.address == address }) { return slot }
    // Of two devices that have the bits, one as a public and one as a random address, the first stays.
    if deviceBits != nil, !devices.isEmpty { return nil }
    guard devices.count < Self.devicesMax else { return nil }
    devices.append(Readings(address: address))
    return devices.count - 1
  }

  /// Chooses the device that is strongest by far, and forgets the others.
  public mutating func chooseStrongest() throws(ChoiceError) {
    let strong = devices.filter { $0.levels.count >= Self.choiceReadingsMin }
      .sorted { ($0.median ?? -128, $1.address.word) > ($1.median ?? -128, $0.address.word) }
    guard let first = strong.first, let level = first.median else { throw .nothingHeard }
    if strong.count > 1, let next = strong[1].median, level - next < Self.marginMin {
      throw .severalStrong(first, strong[1])
    }
    devices = [first]
    deviceBits = first.address.bits
  }
}

extension Calibration.Readings {
  /// Returns how many dB to add to the adapter's readings so that the median becomes `power`.
  public func offset(power: Int) throws(Calibration.OffsetError) -> Int {
    guard let median, let spread else { preconditionFailure("readings without a level say nothing") }
    guard spread <= Calibration.spreadMax else { throw .spread(spread) }
    let offset = power - median
    guard Calibration.offsets.contains(offset) else { throw .outOfRange(offset: offset) }
    return offset
  }
}

extension CalibrationLine {
  public init(_ readings: Calibration.Readings, power: Int) throws(Calibration.OffsetError) {
    self.init(
      address: readings.address, readingCount: readings.levels.count,
      invalidCount: readings.invalidCount, median: readings.median ?? 0, spread: readings.spread ?? 0,
      power: power, offset: try readings.offset(power: power))
  }

  /// The lines that belong in a board profile: how it was measured, as a comment, and the setting.
  public var toml: String {
    let left = invalidCount == 0 ? "" : ", \(invalidCount) without a level left out"
    return """
      # \(address.text ?? "a device") at 1 m: median \(median) dBm, quartiles \(spread) dB apart,
      # \(readingCount) readings\(left); it should read \(power) dBm.
      rssi-offset = \(offset)

      """
  }
}
