// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
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
      json.object("fields") { fields.write(to: &$0, values: ValueLine.lines(of: [assembled ?? data])) }
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
    json.member("addressType", address.type.word)
    if let directAddress {
      json.member("directAddress", directAddress.text)
      json.member("directAddressType", directAddress.type.word)
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
