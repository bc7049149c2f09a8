// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
public import JSON

/// What an advertising payload says, collected from its AD structures; copies, for programs that print.
///
/// Nothing is lost: where a payload repeats what it may say once, the first counts (of names the first complete one)
/// and the others stand in ``other``, beside the structures of types we do not read.
public struct AdvertisementFields: Equatable, Sendable {
  /// A name and whether it is all of it.
  public struct Name: Equatable, Sendable {
    public let text: AirText
    public let isComplete: Bool

    public init(text: AirText, isComplete: Bool) {
      self.text = text
      self.isComplete = isComplete
    }
  }

  /// Manufacturer Specific Data; the payload starts after the company identifier.
  public struct ManufacturerData: Equatable, Sendable {
    public let companyIdentifier: UInt16
    public let payload: [UInt8]
  }

  /// Service Data; the payload starts after the UUID.
  public struct ServiceData: Equatable, Sendable {
    public let uuid: BluetoothUUID
    public let payload: [UInt8]
  }

  /// An AD structure as it stands in the payload.
  public struct Structure: Equatable, Sendable {
    public let type: UInt8
    public let value: [UInt8]
  }

  public private(set) var flags: UInt8?
  public private(set) var name: Name?
  public private(set) var services: [BluetoothUUID] = []
  public private(set) var solicitations: [BluetoothUUID] = []
  public private(set) var manufacturerData: [ManufacturerData] = []
  public private(set) var serviceData: [ServiceData] = []
  /// dBm
  public private(set) var txPowerLevel: Int8?
  public private(set) var appearance: UInt16?
  public private(set) var other: [Structure] = []
  /// What was lost of the payload, in order.
  public private(set) var malformations: [MalformedStructureError] = []

  /// Reads a whole payload: of one report, or of all fragments of a chain.
  public init(_ payload: RawSpan) {
    var structures = ADStructures(payload)
    while true {
      do throws(MalformedStructureError) {
        guard let structure = try structures.next() else { return }
        store(structure, try structure.decoded())
      } catch {
        malformations.append(error)
        guard error.kind == .wrongSize else { return }
      }
    }
  }

  private mutating func store(_ structure: borrowing ADStructure, _ value: borrowing ADValue) {
    switch value {
    case .flags(let byte) where flags == nil: flags = byte
    case .name(let text, let isComplete): storeName(Name(text: AirText(text.copied), isComplete: isComplete))
    case .services(let list):
      noteCut(list, in: structure)
      for index in 0..<list.count { services.append(list[index]) }
    case .solicitations(let list):
      noteCut(list, in: structure)
      for index in 0..<list.count { solicitations.append(list[index]) }
    case .manufacturerData(let companyIdentifier, let payload):
      manufacturerData.append(
        ManufacturerData(companyIdentifier: companyIdentifier, payload: payload.copied))
    case .serviceData(let uuid, let payload):
      serviceData.append(ServiceData(uuid: uuid, payload: payload.copied))
    case .txPowerLevel(let level) where txPowerLevel == nil: txPowerLevel = level
    case .appearance(let code) where appearance == nil: appearance = code
    case .flags, .txPowerLevel, .appearance, .other:
      other.append(Structure(type: structure.type, value: structure.value.copied))
    }
  }

  private mutating func noteCut(_ list: borrowing UUIDList, in structure: borrowing ADStructure) {
    if list.isTruncated {
      malformations.append(MalformedStructureError(offset: structure.offset, kind: .wrongSize))
    }
  }

  private mutating func storeName(_ new: Name) {
    let old = name
    let isBetter = old.map { new.isComplete && !$0.isComplete } ?? true
    if isBetter { name = new }
    guard let spare = isBetter ? old : new else { return }
    let type: ADType = spare.isComplete ? .completeName : .shortenedName
    other.append(Structure(type: type.rawValue, value: spare.text.bytes))
  }

  /// The members of an object; what the payload does not say is left out. `values` is what it says in open formats.
  public func write(to json: inout JSONWriter, values: [ValueLine] = []) {
    if let flags { json.member("flags", flags) }
    if let name {
      json.member("name", name.text)
      json.member("nameIsComplete", name.isComplete)
    }
    if !services.isEmpty { json.member("serviceUUIDs", services.map(\.text)) }
    if !solicitations.isEmpty { json.member("solicitationUUIDs", solicitations.map(\.text)) }
    if !manufacturerData.isEmpty {
      json.objects("manufacturerData", manufacturerData) { json, entry in
        json.member("companyIdentifier", entry.companyIdentifier)
        json.member("data", Hex(entry.payload))
      }
    }
    if !serviceData.isEmpty {
      json.objects("serviceData", serviceData) { json, entry in
        json.member("uuid", entry.uuid.text)
        json.member("data", Hex(entry.payload))
      }
    }
    if let txPowerLevel { json.member("txPowerLevel", txPowerLevel) }
    if let appearance { json.member("appearance", appearance) }
    if !other.isEmpty {
      json.objects("other", other) { json, structure in
        json.member("type", structure.type)
        json.member("data", Hex(structure.value))
      }
    }
    if !values.isEmpty { json.objects("values", values) }
  }
}

extension RawSpan {
  /// The bytes, to keep.
  public var copied: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    for offset in 0..<byteCount { bytes.append(uint8(at: offset)) }
    return bytes
  }
}
