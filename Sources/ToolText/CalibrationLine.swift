// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces
public import JSON

/// The result of a calibration: the line of `calibrate --json` (`Config/schema/calibrate.schema.json`).
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

  public func writeMembers(to json: inout JSONWriter) {
    json.members(address)
    json.member("samples", readingCount)
    json.member("samplesInvalid", invalidCount)
    json.member("median", median)
    json.member("spread", spread)
    json.member("powerAt1m", power)
    json.member("rssiOffset", offset)
  }
}
