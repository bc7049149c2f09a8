// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import TestSupport
import VirtualRadio

/// The packets in which a controller reports one advertisement.
struct Sending {
  let form: String
  let packets: [[UInt8]]

  private static let address = DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random)

  /// Every way that carries the advertisement: a legacy report, one with its scan response, extended reports.
  static func all(of fields: RecordedFields) -> [Sending] {
    [legacy(fields), extended(fields)].compactMap(\.self)
  }

  /// Up to 31 bytes of advertising data and, for decoded fields, as many of scan response.
  private static func legacy(_ fields: RecordedFields) -> Sending? {
    guard let payloads = split(fields) else { return nil }
    let packets = zip([AdvertisingPDU.scannable, .scanResponse], payloads).map { pdu, payload in
      ReportEncoder.event(.legacy, AirReport(pdu, from: address, rssi: -60, AdvertisingPayload(raw: payload)))
    }
    return Sending(form: payloads.count == 1 ? "legacy" : "with a scan response", packets: packets)
  }

  private static func split(_ fields: RecordedFields) -> [[UInt8]]? {
    if let whole = fields.payloads(ofAtMost: 31), whole.count == 1 { return whole }
    guard fields.rawAdHex == nil else { return nil }
    var parts: [[UInt8]] = [[]]
    for structure in fields.structures + [fields.nameStructure] {
      guard structure.count <= 31 else { return nil }
      if parts[parts.count - 1].count + structure.count > 31 { parts.append([]) }
      parts[parts.count - 1] += structure
    }
    return parts.count <= 2 ? parts : nil
  }

  /// Chains of reports, one advertising set for each payload.
  private static func extended(_ fields: RecordedFields) -> Sending? {
    guard let payloads = fields.payloads(ofAtMost: ReportAssembler.payloadBytesMax), payloads.count <= 16
    else {
      return nil
    }
    let packets = payloads.enumerated().flatMap { set, payload in
      ReportEncoder.chain(
        AirReport(
          extendedFrom: address, set: UInt8(set), properties: .connectable, rssi: -60,
          AdvertisingPayload(raw: payload)))
    }
    return Sending(form: "extended", packets: packets)
  }

  /// How many items `path` reports as found when it hears the packets, a millisecond apart.
  func found(by path: inout ManifestDataPath) -> UInt64 {
    var time = Instant(microseconds: 0)
    for packet in packets {
      time = time.advanced(milliseconds: 1)
      _ = path.pipeline.receive(h4: packet.rawSpan, at: time)
    }
    return path.pipeline.counters.found
  }
}
