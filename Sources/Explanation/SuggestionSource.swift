// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces

/// What one advertising set of a device advertised over a capture, collected for a suggestion: every key, and of the
/// data after it the bits that never changed.
///
/// Capacity: 8 companies, 8 services with data and 8 listed; a set that names more is described by those.
public struct SuggestionSource: Sendable {
  /// The bytes that every payload had, and which of their bits were always the same.
  struct Stable: Equatable, Sendable {
    var blob: [UInt8]
    var mask: [UInt8]

    init(_ payload: [UInt8]) {
      blob = payload
      mask = [UInt8](repeating: 0xFF, count: payload.count)
    }

    mutating func addPayload(_ payload: [UInt8]) {
      let count = min(blob.count, payload.count)
      blob = Array(blob.prefix(count))
      mask = (0..<count).map { mask[$0] & ~(blob[$0] ^ payload[$0]) }
    }
  }

  private static let keysMax = 8

  public let address: DeviceAddress
  /// 0 to 15; nil for reports that name no set.
  public let advertisingSID: UInt8?
  public private(set) var reportCount = 0
  /// In the order they first came.
  private(set) var companies: [(identifier: UInt16, data: Stable)] = []
  private(set) var serviceData: [(uuid: BluetoothUUID, data: Stable)] = []
  private(set) var services: [BluetoothUUID] = []
  private(set) var name: AdvertisementFields.Name?

  /// For the device and the set of `report`, which is not taken yet.
  public init(for report: DecodedReport) {
    address = report.header.address
    advertisingSID = report.header.advertisingSetID
  }

  /// Whether a report is of the same set.
  public func covers(_ report: DecodedReport) -> Bool {
    report.header.address == address && report.header.advertisingSetID == advertisingSID
  }

  /// Takes one report of the set; fragments count with their last.
  public mutating func addReport(_ report: DecodedReport) {
    precondition(covers(report), "the report is of another set")
    reportCount += 1
    guard let fields = report.fields else { return }
    for entry in fields.manufacturerData { addManufacturerData(entry) }
    for entry in fields.serviceData { addServiceData(entry) }
    for uuid in fields.services where services.count < Self.keysMax && !services.contains(uuid) {
      services.append(uuid)
    }
    guard let new = fields.name, new.isComplete || name == nil else { return }
    name = new
  }

  private mutating func addManufacturerData(_ entry: AdvertisementFields.ManufacturerData) {
    if let index = companies.firstIndex(where: { $0.identifier == entry.companyIdentifier }) {
      companies[index].data.addPayload(entry.payload)
    } else if companies.count < Self.keysMax {
      companies.append((entry.companyIdentifier, Stable(entry.payload)))
    }
  }

  private mutating func addServiceData(_ entry: AdvertisementFields.ServiceData) {
    if let index = serviceData.firstIndex(where: { $0.uuid == entry.uuid }) {
      serviceData[index].data.addPayload(entry.payload)
    } else if serviceData.count < Self.keysMax {
      serviceData.append((entry.uuid, Stable(entry.payload)))
    }
  }
}
