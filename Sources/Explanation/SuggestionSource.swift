// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces

/// What one advertising set of a device advertised, collected for a suggestion.
///
/// Capacity: 8 companies, 8 services with data and 8 listed, 32 different payloads of each, and 32 different views; a set
/// that has more is described by those.
public struct SuggestionSource: Sendable {
  /// The data after one company identifier or service UUID.
  struct KeyData: Equatable, Sendable {
    private static let payloadsMax = 32

    /// The first different payloads.
    private(set) var payloads: [[UInt8]]
    /// The bytes that every payload had, and which of them were always the same.
    private(set) var bytes: [UInt8]
    private(set) var isConstant: [Bool]

    init(_ payload: [UInt8]) {
      payloads = [payload]
      bytes = payload
      isConstant = payload.map { _ in true }
    }

    mutating func addPayload(_ payload: [UInt8]) {
      let count = min(bytes.count, payload.count)
      isConstant = (0..<count).map { isConstant[$0] && bytes[$0] == payload[$0] }
      bytes = Array(bytes.prefix(count))
      if payloads.count < Self.payloadsMax, !payloads.contains(payload) { payloads.append(payload) }
    }
  }

  /// Advertising data and the scan response that was valid with it.
  struct View: Equatable, Sendable {
    var data: [UInt8] = []
    var response: [UInt8] = []
  }

  private static let keysMax = 8
  private static let viewsMax = 32

  public let address: DeviceAddress
  /// 0 to 15; nil for reports that name no set.
  public let advertisingSID: UInt8?
  public private(set) var reportCount = 0
  /// In the order they first came.
  private(set) var companies: [(identifier: UInt16, data: KeyData)] = []
  private(set) var serviceData: [(uuid: BluetoothUUID, data: KeyData)] = []
  private(set) var services: [BluetoothUUID] = []
  private(set) var name: AdvertisementFields.Name?
  /// The first different ones.
  private(set) var views: [View] = []
  private var view = View()

  /// For the device and the set of `report`, which is not taken yet.
  public init(for report: DecodedReport) {
    address = report.header.address
    advertisingSID = report.header.validAdvertisingSID
  }

  /// The different frames of a device, the newest one first.
  public static func frames(
    of address: DeviceAddress, in sources: [SuggestionSource]
  ) -> [(data: [UInt8], response: [UInt8])] {
    sources.filter { $0.address == address }.flatMap(\.views).reversed().map { ($0.data, $0.response) }
  }

  /// One payload pair that a device has in the tables.
  init(address: DeviceAddress, data: [UInt8], response: [UInt8]) {
    self.address = address
    advertisingSID = nil
    addFields(AdvertisementFields(data.span.rawBytes))
    addFields(AdvertisementFields(response.span.rawBytes))
    views = [View(data: data, response: response)]
  }

  /// Whether a report is of the same set.
  public func covers(_ report: DecodedReport) -> Bool {
    report.header.address == address && report.header.validAdvertisingSID == advertisingSID
  }

  /// Takes one report of the set; fragments count with their last.
  public mutating func addReport(_ report: DecodedReport) {
    precondition(covers(report), "the report is of another set")
    reportCount += 1
    guard let fields = report.fields else { return }
    addFields(fields)
    let payload = report.assembled ?? report.data
    if report.header.properties.contains(.scanResponse) {
      view.response = payload
    } else {
      view.data = payload
    }
    if views.count < Self.viewsMax, !views.contains(view) { views.append(view) }
  }

  private mutating func addFields(_ fields: AdvertisementFields) {
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
      companies.append((entry.companyIdentifier, KeyData(entry.payload)))
    }
  }

  private mutating func addServiceData(_ entry: AdvertisementFields.ServiceData) {
    if let index = serviceData.firstIndex(where: { $0.uuid == entry.uuid }) {
      serviceData[index].data.addPayload(entry.payload)
    } else if serviceData.count < Self.keysMax {
      serviceData.append((entry.uuid, KeyData(entry.payload)))
    }
  }

  func data(of company: UInt16) -> KeyData? { companies.first { $0.identifier == company }?.data }

  func data(of service: BluetoothUUID) -> KeyData? { serviceData.first { $0.uuid == service }?.data }
}

/// What every device of a capture advertised: the one that an item is written for, and the others in sight.
///
/// Capacity: ``othersMax`` advertising sets of other devices; those heard later are left out.
public struct SuggestionSources: Sendable {
  private struct Key: Hashable {
    let address: DeviceAddress
    let advertisingSID: UInt8?
  }

  public static let othersMax = 4096

  private let bits: UInt64
  public private(set) var device: [SuggestionSource] = []
  public private(set) var others: [SuggestionSource] = []
  private var indices: [Key: Int] = [:]

  /// `bits` are the device's address, of whichever type.
  public init(ofDevice bits: UInt64) { self.bits = bits }

  public mutating func addReport(_ report: DecodedReport) {
    let header = report.header
    guard header.address.type != .anonymous else { return }
    if header.address.bits == bits {
      let index = device.firstIndex { $0.covers(report) } ?? device.count
      if index == device.count { device.append(SuggestionSource(for: report)) }
      return device[index].addReport(report)
    }
    let key = Key(address: header.address, advertisingSID: header.validAdvertisingSID)
    guard let index = indices[key] ?? (others.count < Self.othersMax ? others.count : nil) else { return }
    if index == others.count {
      others.append(SuggestionSource(for: report))
      indices[key] = index
    }
    others[index].addReport(report)
  }
}

extension DeviceView {
  /// What the tables have of the device, as another device in sight; a source for each advertising set.
  public var suggestionSources: [SuggestionSource] {
    payloads.map { SuggestionSource(address: address, data: $0.data, response: $0.response) }
  }
}
