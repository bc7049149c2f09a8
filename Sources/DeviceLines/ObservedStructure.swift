// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
public import Manifest

/// An AD structure that a clause may look at, copied, with the place it was found.
package struct ObservedStructure: Equatable, Sendable {
  package enum Value: Equatable, Sendable {
    case services([BluetoothUUID])
    case serviceData(BluetoothUUID, [UInt8])
    case manufacturerData(companyIdentifier: UInt16, [UInt8])
    case name([UInt8])
  }

  package let part: PayloadPart
  /// The index of the structure's length byte.
  package let offset: Int
  package let type: UInt8
  package let value: Value

  /// The structures of one payload that clauses look at; malformed ones meet nothing and are left out.
  package static func all(in payload: RawSpan, _ part: PayloadPart) -> [ObservedStructure] {
    var found: [ObservedStructure] = []
    var structures = ADStructures(payload)
    while true {
      do throws(MalformedStructureError) {
        guard let structure = try structures.next() else { return found }
        guard let value = Value(try structure.decoded()) else { continue }
        found.append(
          ObservedStructure(part: part, offset: structure.offset, type: structure.type, value: value))
      } catch {
        continue
      }
    }
  }
}

/// Which of an advertiser's two payloads.
public enum PayloadPart: String, Equatable, Sendable {
  case data
  case response
}

extension ObservedStructure.Value {
  fileprivate init?(_ value: borrowing ADValue) {
    switch value {
    case .services(let list): self = .services((0..<list.count).map { list[$0] })
    case .serviceData(let uuid, let payload): self = .serviceData(uuid, payload.copied)
    case .manufacturerData(let company, let payload):
      self = .manufacturerData(companyIdentifier: company, payload.copied)
    case .name(let name, _): self = .name(name.copied)
    case .flags, .solicitations, .txPowerLevel, .appearance, .other: return nil
    }
  }

  /// Services that the structure names: a list's, or the key of service data.
  package var services: [BluetoothUUID] {
    switch self {
    case .services(let list): list
    case .serviceData(let uuid, _): [uuid]
    case .manufacturerData, .name: []
    }
  }
}

extension DiscoveryDescriptor {
  /// Whether every clause holds on an advertisement and the scan response that was valid with it.
  public func holds(in frame: (data: [UInt8], response: [UInt8]), of address: DeviceAddress) -> Bool {
    let values =
      (ObservedStructure.all(in: frame.data.span.rawBytes, .data)
      + ObservedStructure.all(in: frame.response.span.rawBytes, .response)).map(\.value)
    let options = NameOptions(rawValue: UInt32(nameCompareOptions.rawValue))
    func isMet<Wanted>(_ wanted: Wanted?, _ holds: (Wanted, ObservedStructure.Value) -> Bool) -> Bool {
      wanted.map { wanted in values.contains { holds(wanted, $0) } } ?? true
    }
    return hasBluetoothClause
      && addressPrefix.map { address.lifetime == .durable && $0.begins(address.bits) } ?? true
      && isMet(companyIdentifier) { company, value in
        guard case .manufacturerData(company, let payload) = value else { return false }
        return manufacturerData?.holds(payload) ?? true
      }
      && isMet(serviceUUID) { $1.services.contains($0) }
      && isMet(serviceData) { blob, value in
        guard case .serviceData(serviceUUID, let payload) = value else { return false }
        return blob.holds(payload)
      }
      && isMet(nameSubstring) { wanted, value in
        guard case .name(let name) = value else { return false }
        return NameClause.matches(name.span.rawBytes, wanted.span.rawBytes, options)
      }
  }
}
