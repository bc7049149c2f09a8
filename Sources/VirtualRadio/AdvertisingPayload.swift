// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// AD structures, one after the other (Core Specification 5.4, Volume 3, Part C, 11).
///
///     AdvertisingPayload().flags(0x06).name("Lumo").manufacturerData(0x0EEE, [0xA5, 0x5A])
///
/// A structure holds up to 254 bytes. The payload has no limit: the sender checks whether it fits a packet.
public struct AdvertisingPayload: Equatable, Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  /// Raw bytes, well-formed or not.
  public init(raw bytes: [UInt8]) { self.bytes = bytes }

  /// Appends raw bytes.
  public func raw(_ bytes: [UInt8]) -> Self { Self(raw: self.bytes + bytes) }

  /// Appends a structure of any type.
  public func structure(_ type: UInt8, _ value: [UInt8]) -> Self {
    precondition(value.count < 255, "an AD structure's length is one byte, its type included")
    return raw([UInt8(value.count + 1), type] + value)
  }

  public func structure(_ type: ADType, _ value: [UInt8]) -> Self { structure(type.rawValue, value) }

  /// 0x06 is general discoverable and BR/EDR not supported.
  public func flags(_ flags: UInt8) -> Self { structure(.flags, [flags]) }

  public func name(_ name: String) -> Self { structure(.completeName, Array(name.utf8)) }

  public func shortenedName(_ name: String) -> Self { structure(.shortenedName, Array(name.utf8)) }

  /// A complete list, in one structure for each size of UUID that occurs.
  public func services(_ uuids: BluetoothUUID...) -> Self { services(uuids) }

  public func services(_ uuids: [BluetoothUUID]) -> Self {
    list(uuids, [.completeServices16, .completeServices32, .completeServices128])
  }

  public func incompleteServices(_ uuids: BluetoothUUID...) -> Self { incompleteServices(uuids) }

  public func incompleteServices(_ uuids: [BluetoothUUID]) -> Self {
    list(uuids, [.incompleteServices16, .incompleteServices32, .incompleteServices128])
  }

  public func solicitations(_ uuids: BluetoothUUID...) -> Self { solicitations(uuids) }

  public func solicitations(_ uuids: [BluetoothUUID]) -> Self {
    list(uuids, [.solicitation16, .solicitation32, .solicitation128])
  }

  public func serviceData(_ uuid: BluetoothUUID, _ data: [UInt8]) -> Self {
    let key = uuid.bytes
    let type: ADType =
      key.count == 2 ? .serviceData16 : key.count == 4 ? .serviceData32 : .serviceData128
    return structure(type, key + data)
  }

  /// The payload follows the company identifier.
  public func manufacturerData(_ company: UInt16, _ payload: [UInt8]) -> Self {
    structure(.manufacturerData, company.bytes + payload)
  }

  /// dBm.
  public func txPowerLevel(_ level: Int8) -> Self { structure(.txPowerLevel, level.bytes) }

  public func appearance(_ appearance: UInt16) -> Self { structure(.appearance, appearance.bytes) }

  /// `types` are the types for UUIDs of 2, 4 and 16 bytes.
  private func list(_ uuids: [BluetoothUUID], _ types: [ADType]) -> Self {
    var result = self
    for (size, type) in zip([2, 4, 16], types) {
      let bytes = uuids.map(\.bytes).filter { $0.count == size }
      guard !bytes.isEmpty else { continue }
      result = result.structure(type, Array(bytes.joined()))
    }
    return result
  }
}
