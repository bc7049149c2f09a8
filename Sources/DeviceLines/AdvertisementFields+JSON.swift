// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
public import JSON

extension AdvertisementFields {
  /// The members of an object; what the payload does not say is left out.
  public func write(to json: inout JSONWriter) {
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
    guard !other.isEmpty else { return }
    json.objects("other", other) { json, structure in
      json.member("type", structure.type)
      json.member("data", Hex(structure.value))
    }
  }
}
