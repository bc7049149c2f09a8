// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ToolText
import Varlink

/// A device that is listened to for a while, so that an item can be suggested that finds others like it.
///
/// Capacity: 8 advertising sets of the address; further ones are not looked at.
struct Listening: Sendable {
  private static let setsMax = 8

  let device: String
  let end: Instant
  private let addresses: Set<UInt64>
  private var sources: [SuggestionSource] = []

  init(_ device: String, addresses: Set<UInt64>, until end: Instant) {
    self.device = device
    self.addresses = addresses
    self.end = end
  }

  mutating func take(_ report: DecodedReport) {
    guard addresses.contains(report.header.address.bits), report.header.address.type != .anonymous else {
      return
    }
    if let index = sources.firstIndex(where: { $0.covers(report) }) {
      sources[index].take(report)
    } else if sources.count < Self.setsMax {
      var source = SuggestionSource(for: report)
      source.take(report)
      sources.append(source)
    }
  }

  /// What was learned: the replies, or why there are none.
  var outcome: Result<[[UInt8]], GatewayError> {
    guard !sources.isEmpty else { return .failure(.deviceNotInSight(device)) }
    let suggestions = Suggestion.all(of: sources)
    guard !suggestions.isEmpty else { return .failure(.notRecognisable(device)) }
    return .success(
      suggestions.map { Message.element("suggestion", $0) })
  }
}

/// Decodes reports while devices are listened to.
struct DeviceListener: ~Copyable {
  private var decoder: ReportDecoder
  private let block: MemoryBlock

  init() {
    var measure = Arena()
    _ = ReportDecoder(in: &measure)
    let block = MemoryBlock(byteCount: measure.byteCount)
    // Holds: the block lives in this value beside the decoder, which is its only user.
    var arena = unsafe block.arena()
    decoder = ReportDecoder(in: &arena)
    self.block = block
  }

  mutating func reports(in packet: RawSpan, at time: Instant) -> [DecodedReport] {
    var reports: [DecodedReport] = []
    guard let packet = try? Packet(parsing: packet), let event = try? Event(parsing: packet.body) else {
      return []
    }
    _ = decoder.take(event, at: time, since: Instant(microseconds: 0)) { reports.append($0) }
    return reports
  }
}

extension AgentCore {
  func listen(to packet: RawSpan, at time: Instant) {
    let reports = listener?.reports(in: packet, at: time) ?? []
    for place in clients.taken {
      guard case .suggestion(var listening) = clients.places[place]?.activity else { continue }
      for report in reports { listening.take(report) }
      clients.places[place]?.activity = .suggestion(listening)
    }
  }
}
