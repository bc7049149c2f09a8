// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The value of an AD structure with copies of what it borrows.
public enum ReadValue: Equatable {
  case flags(UInt8)
  case services([BluetoothUUID])
  case solicitations([BluetoothUUID])
  case name([UInt8], isComplete: Bool)
  case txPowerLevel(Int8)
  case serviceData(BluetoothUUID, [UInt8])
  case appearance(UInt16)
  case manufacturerData(companyIdentifier: UInt16, [UInt8])
  case other([UInt8])

  init(_ value: borrowing ADValue) {
    self =
      switch value {
      case .flags(let flags): .flags(flags)
      case .services(let list): .services(list.identifiers)
      case .solicitations(let list): .solicitations(list.identifiers)
      case .name(let name, let isComplete): .name(name.bytes, isComplete: isComplete)
      case .txPowerLevel(let level): .txPowerLevel(level)
      case .serviceData(let key, let data): .serviceData(key, data.bytes)
      case .appearance(let appearance): .appearance(appearance)
      case .manufacturerData(let company, let data):
        .manufacturerData(companyIdentifier: company, data.bytes)
      case .other(let data): .other(data.bytes)
      }
  }
}

extension UUIDList {
  /// A copy of the whole list.
  public var identifiers: [BluetoothUUID] {
    var identifiers: [BluetoothUUID] = []
    for index in 0..<count { identifiers.append(self[index]) }
    return identifiers
  }
}

/// Everything that the AD structures of a payload were read as.
public struct PayloadReading: Equatable {
  public struct Structure: Equatable {
    public let type: UInt8
    public let offset: Int
    /// Nil when the value has a size its type does not allow.
    public let value: ReadValue?
  }

  public var structures: [Structure] = []
  public var malformations: [MalformedStructureError] = []
  /// How often the structure reader was asked.
  public var steps = 0

  public var values: [ReadValue] { structures.compactMap(\.value) }

  public init(_ payload: [UInt8]) { self.init(borrowing: payload.rawSpan) }

  public init(borrowing payload: RawSpan) {
    var reader = ADStructures(payload)
    // As above: far behind any bound that a test asserts.
    while steps < 10_000 {
      steps += 1
      do throws(MalformedStructureError) {
        guard let structure = try reader.next() else { break }
        add(structure)
      } catch {
        malformations.append(error)
      }
    }
  }

  private mutating func add(_ structure: borrowing ADStructure) {
    var value: ReadValue?
    do throws(MalformedStructureError) {
      let decoded = try structure.decoded()
      if isTruncated(decoded) {
        malformations.append(MalformedStructureError(offset: structure.offset, kind: .wrongSize))
      }
      value = ReadValue(decoded)
    } catch {
      malformations.append(error)
    }
    structures.append(Structure(type: structure.type, offset: structure.offset, value: value))
  }

  private func isTruncated(_ value: borrowing ADValue) -> Bool {
    switch value {
    case .services(let list), .solicitations(let list): list.isTruncated
    default: false
    }
  }
}
