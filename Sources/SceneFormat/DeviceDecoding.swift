// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import ManifestFormat
import VirtualRadio

extension SceneDevice {
  /// Nil when a required key of the table is missing or invalid; the log names it.
  init?(_ table: TableReader<DeviceKey>, usual: SignalModel) {
    let plan = AddressPlan(table)
    let advertising = Advertising(table)
    table.require(.interval)
    let interval = table.milliseconds(.interval, in: 1...3_600_000)
    let signal = SignalModel(table, usual: usual)
    let payloads = PayloadScript(table, byteCountMax: advertising?.payloadByteCountMax ?? 1650)
    guard let plan, let advertising, let interval, let signal, let payloads else { return nil }
    self.init(plan, advertising, payloads: payloads, intervalMilliseconds: interval, signal: signal)
    name = table.text(.name) ?? ""
    jitterMilliseconds = table.milliseconds(.jitter, in: 0...10_000) ?? jitterMilliseconds
    scanResponse = table.scanResponse(to: advertising)
    hasReading = table.boolean(.measured) ?? true
    if table.node(.present) != nil { presence = table.presence() }
  }
}

extension Advertising {
  /// How many bytes of payload a packet can carry (Core Specification 5.4, Volume 6, Part B, 2.3.1 and 2.3.4.9).
  fileprivate var payloadByteCountMax: Int {
    switch self {
    case .legacy: 31
    case .directed: 0
    case .extended(let set): set.properties.contains(.scannable) ? 0 : 1650
    }
  }
}

extension TableReader<DeviceKey> {
  fileprivate func scanResponse(to advertising: Advertising) -> AdvertisingPayload? {
    guard node(.scanResponse) != nil else { return nil }
    switch advertising {
    case .legacy(.connectable), .legacy(.scannable): return response(byteCountMax: 31)
    case .extended(let set) where set.properties.contains(.scannable): return response(byteCountMax: 1650)
    case .legacy, .directed, .extended:
      report(.onlyFor("pdu = \"connectable\", \"scannable\" or \"extended-scannable\""), at: .scanResponse)
      return nil
    }
  }

  private func response(byteCountMax: Int) -> AdvertisingPayload? {
    PayloadTurns(self, .scanResponse, byteCountMax: byteCountMax).single
  }

  /// `["4s..70s", "80s.."]`, in order.
  fileprivate func presence() -> [Range<Instant>] {
    var ranges: [Range<Instant>] = []
    for (text, path) in texts(.present) {
      guard let (start, end) = Self.times(text) else {
        log.report(.malformed(found: text, expected: .times), at: path)
        continue
      }
      guard start < end, start >= ranges.last?.upperBound.microseconds ?? 0 else {
        log.report(.rule(SceneDiagnostic.presenceRunsBackwards.sentence), at: path)
        continue
      }
      ranges.append(Instant(microseconds: start)..<Instant(microseconds: end))
    }
    return ranges
  }

  private static func times(_ text: String) -> (start: Int64, end: Int64)? {
    // A time has one dot at most, so that the first two dots in a row separate the times.
    guard let dots = text.indices.first(where: { text[$0...].hasPrefix("..") }) else { return nil }
    let end = text[dots...].dropFirst(2)
    guard let start = Quantity.microseconds(String(text[..<dots])), start >= 0 else { return nil }
    if end.isEmpty { return (start, .max) }
    return Quantity.microseconds(String(end)).map { (start, $0) }
  }
}
