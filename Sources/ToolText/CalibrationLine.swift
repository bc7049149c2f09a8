// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
public import JSON

/// What a calibration found: the line of `calibrate --json` (`Config/schema/calibrate.schema.json`), and the lines that
/// belong into a board profile.
public struct CalibrationLine: Equatable, Line {
  public let address: DeviceAddress
  public let readingCount: Int
  public let invalidCount: Int
  /// dBm.
  public let median: Int
  /// Between the quartiles, in dB.
  public let spread: Int
  /// dBm that the device should read.
  public let power: Int
  public let offset: Int

  public init(_ readings: Calibration.Readings, power: Int) throws(Calibration.Refusal) {
    offset = try readings.offset(power: power)
    address = readings.address
    readingCount = readings.levels.count
    invalidCount = readings.invalidCount
    median = readings.median ?? 0
    spread = readings.spread ?? 0
    self.power = power
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("address", address.text)
    json.member("addressType", address.type.text)
    json.member("samples", readingCount)
    json.member("samplesInvalid", invalidCount)
    json.member("median", median)
    json.member("spread", spread)
    json.member("powerAt1m", power)
    json.member("rssiOffset", offset)
  }

  /// TOML: how it was measured as a comment, and the setting.
  public var toml: String {
    let left = invalidCount == 0 ? "" : ", \(invalidCount) without a level left out"
    return """
      # \(address.text ?? "a device") at 1 m: median \(median) dBm, quartiles \(spread) dB apart,
      # \(readingCount) readings\(left); it should read \(power) dBm.
      rssi-offset = \(offset)

      """
  }
}
