// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import Interfaces
import JSON
import SensorFormats
import Values

/// An advertisement in the form that TheengsGateway decodes.
enum Undecoded {
  /// A message for each service data, or one without any.
  static func messages(of event: EventLine) -> [[UInt8]] {
    guard let address = event.address.text else { return [] }
    var (name, manufacturer) = (String?.none, [UInt8]())
    var services: [(uuid: String, data: [UInt8])] = []
    for structure in SensorPayload.structures(of: event.data) {
      let value = structure.value
      // Assigned Numbers, 2.3.
      switch structure.type {
      case 0x08, 0x09: name = String(decoding: value, as: UTF8.self)
      case 0xFF: manufacturer = Array(value)
      case 0x16 where value.count >= 2:
        services.append(("0x" + Hex(Array(value.prefix(2).reversed())).text, Array(value.dropFirst(2))))
      default: break
      }
    }
    let rssi = event.rssi
    func message(_ service: (uuid: String, data: [UInt8])?) -> [UInt8] {
      JSONText.object { json in
        json.member("id", address)
        json.member("rssi", rssi)
        json.member("name", name)
        if !manufacturer.isEmpty { json.member("manufacturerdata", Hex(manufacturer)) }
        if let service {
          json.member("servicedata", Hex(service.data))
          json.member("servicedatauuid", service.uuid)
        }
      }
    }
    return services.isEmpty ? (manufacturer.isEmpty ? [] : [message(nil)]) : services.map { message($0) }
  }
}
