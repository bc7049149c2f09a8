// SPDX-License-Identifier: GPL-3.0-or-later

package import HCI
import Interfaces

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
}
