// SPDX-License-Identifier: GPL-3.0-or-later

import GATT

extension APIMessage {
  /// How many connections there may be still, and in all, and the devices that are connected.
  static func connections(free: Int, of limit: Int, _ addresses: [UInt64]) -> APIMessage {
    APIMessage(81) { fields in
      fields.number(1, free)
      fields.number(2, limit)
      for address in addresses { fields.element(3, address) }
    }
  }

  /// A device is connected, with an MTU, or it is not: why.
  static func connection(
    _ address: UInt64, _ reason: DeviceConnections.Reason, mtu: Int? = nil
  ) -> APIMessage {
    APIMessage(69) { fields in
      fields.number(1, address)
      fields.flag(2, mtu != nil)
      fields.number(3, mtu ?? 0)
      fields.number(4, reason.rawValue)
    }
  }

  static func service(_ address: UInt64, _ service: ServiceListing.Service) -> APIMessage {
    APIMessage(71) { fields in
      fields.number(1, address)
      fields.message(2) { item in
        item.uuid(service.declaration.uuid)
        item.number(2, service.declaration.range.start)
        for characteristic in service.characteristics {
          item.message(3) { part in
            part.uuid(characteristic.declaration.uuid)
            part.number(2, characteristic.declaration.valueHandle)
            part.number(3, characteristic.declaration.properties)
            for descriptor in characteristic.descriptors {
              part.message(4) { part in
                part.uuid(descriptor.uuid)
                part.number(2, descriptor.handle)
              }
            }
          }
        }
      }
    }
  }

  static func servicesDone(_ address: UInt64) -> APIMessage { APIMessage(72) { $0.number(1, address) } }

  static func value(_ address: UInt64, _ handle: UInt16, _ value: [UInt8]) -> APIMessage {
    attribute(74, address, handle, value)
  }

  static func notification(_ address: UInt64, _ handle: UInt16, _ value: [UInt8]) -> APIMessage {
    attribute(79, address, handle, value)
  }

  static func written(_ address: UInt64, _ handle: UInt16) -> APIMessage { attribute(83, address, handle) }

  static func notifying(_ address: UInt64, _ handle: UInt16) -> APIMessage { attribute(84, address, handle) }

  private static func attribute(
    _ type: UInt64, _ address: UInt64, _ handle: UInt16, _ value: [UInt8] = []
  ) -> APIMessage {
    APIMessage(type) { fields in
      fields.number(1, address)
      fields.number(2, handle)
      fields.data(3, value)
    }
  }

  /// What was asked of an attribute has failed: an error of the Attribute Protocol, or of an ESP32.
  static func failed(_ address: UInt64, _ handle: UInt16, _ error: UInt64) -> APIMessage {
    APIMessage(82) { fields in
      fields.number(1, address)
      fields.number(2, handle)
      fields.number(3, error)
    }
  }

  static func pairing(_ address: UInt64, _ error: DeviceConnections.Reason) -> APIMessage {
    outcome(85, address, error)
  }

  static func unpairing(_ address: UInt64, _ error: DeviceConnections.Reason) -> APIMessage {
    outcome(86, address, error)
  }

  static func cacheCleared(_ address: UInt64) -> APIMessage { outcome(88, address, .none) }

  private static func outcome(
    _ type: UInt64, _ address: UInt64, _ error: DeviceConnections.Reason
  ) -> APIMessage {
    APIMessage(type) { fields in
      fields.number(1, address)
      fields.flag(2, error == .none)
      fields.number(3, error.rawValue)
    }
  }
}

extension FieldWriter {
  /// The two halves of 128 bits, the upper one first.
  fileprivate mutating func uuid(_ uuid: AttributeUUID) {
    element(1, uuid.high)
    element(1, uuid.low)
  }
}
