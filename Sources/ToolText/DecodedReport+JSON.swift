// SPDX-License-Identifier: GPL-3.0-or-later

public import Explanation
import HCI
import Interfaces
public import JSON

extension DecodedReport {
  /// The line of `decode --json` (`Config/schema/decode.schema.json`).
  public func write(to json: inout JSONWriter) {
    json.line { json in
      json.member("time", time)
      header.write(to: &json)
      json.member("data", Hex(data))
      if let assembled { json.member("assembled", Hex(assembled)) }
      guard let fields else { return }
      json.object("fields") { fields.write(to: &$0) }
      json.objects("malformed", fields.malformations) { json, malformation in
        json.member("offset", malformation.offset)
        json.member("kind", malformation.kind.text)
      }
    }
  }
}

extension ReportHeader {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("address", address.text)
    json.member("addressType", address.type.text)
    if let directAddress {
      json.member("directAddress", directAddress.text)
      json.member("directAddressType", directAddress.type.text)
    }
    json.member("pdu", pdu.text)
    json.member("extended", properties.contains(.extendedEvent))
    json.member("connectable", properties.contains(.connectable))
    json.member("scannable", properties.contains(.scannable))
    json.member("directed", properties.contains(.directed))
    json.member("scanResponse", properties.contains(.scanResponse))
    json.member("dataStatus", dataStatus.text)
    json.member("rssi", reading)
    json.member("txPower", transmitPower)
    json.member("primaryPHY", primaryPHY.text)
    json.member("secondaryPHY", secondaryPHY?.text)
    json.member("sid", validAdvertisingSID)
  }
}

extension AdvertisementFields {
  /// The members of an object; what the payload does not say is left out.
  func write(to json: inout JSONWriter) {
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
