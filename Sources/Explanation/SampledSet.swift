// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What one advertising set of a device sent: the different pairs of advertising data and the scan response that was valid
/// with it.
///
/// Capacity: the first ``framesMax`` pairs.
public struct SampledSet: Sendable {
  public struct Frame: Equatable, Sendable {
    public var data: [UInt8]
    public var response: [UInt8]

    public init(data: [UInt8] = [], response: [UInt8] = []) { (self.data, self.response) = (data, response) }
  }

  private static let framesMax = 32

  public let address: DeviceAddress
  /// 0 to 15; nil for reports that name no set.
  public let advertisingSID: UInt8?
  public private(set) var frames: [Frame] = []
  private var newest = Frame()

  /// For the device and the set of `report`, which is not taken yet.
  public init(for report: DecodedReport) {
    address = report.header.address
    advertisingSID = report.header.validAdvertisingSID
  }

  /// One frame that a device has in the tables.
  public init(address: DeviceAddress, _ frame: Frame) {
    (self.address, advertisingSID, frames) = (address, nil, [frame])
  }

  /// Whether a report is of the same set.
  public func covers(_ report: DecodedReport) -> Bool {
    report.header.address == address && report.header.validAdvertisingSID == advertisingSID
  }

  /// Takes one report of the set; fragments count with their last.
  public mutating func addReport(_ report: DecodedReport) {
    precondition(covers(report), "the report is of another set")
    guard report.fields != nil else { return }
    let payload = report.assembled ?? report.data
    if report.header.properties.contains(.scanResponse) {
      newest.response = payload
    } else {
      newest.data = payload
    }
    if frames.count < Self.framesMax, !frames.contains(newest) { frames.append(newest) }
  }

  /// The different frames of a device, the newest one first.
  public static func frames(
    of address: DeviceAddress, in sets: [SampledSet]
  ) -> [(data: [UInt8], response: [UInt8])] {
    sets.filter { $0.address == address }.flatMap(\.frames).reversed().map { ($0.data, $0.response) }
  }
}
