// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import Manifest
import Explanation

/// Collects what devices advertise, for `Explain` and `Try`.
///
/// Capacity: ``samplesMax`` samples at a time, of ``setsMax`` advertising sets of a device and ``allSetsMax`` of all;
/// further sets are ignored. The memory of the decoder is there only while a sample is being taken.
struct DeviceSampler: ~Copyable {
  static let samplesMax = 2
  static let setsMax = 8
  static let allSetsMax = 32
  /// The most devices that one call listens to.
  static let devicesMax = 16

  /// A sample that is being taken.
  struct SampleID: Equatable {
    fileprivate let number: UInt64
  }

  private struct Sample {
    let id: SampleID
    let addresses: Set<UInt64>
    var sets: [SampledSet] = []

    mutating func receive(_ report: DecodedReport) {
      guard addresses.contains(report.header.address.bits), report.header.address.type != .anonymous else {
        return
      }
      if let index = sets.firstIndex(where: { $0.covers(report) }) {
        sets[index].addReport(report)
      } else if sets.count < DeviceSampler.allSetsMax,
        sets.count(where: { $0.address == report.header.address }) < DeviceSampler.setsMax
      {
        var set = SampledSet(for: report)
        set.addReport(report)
        sets.append(set)
      }
    }
  }

  private var samples: [Sample] = []
  private var decoder: PacketDecoder?
  private var startedCount: UInt64 = 0

  init() {}

  var sampleCount: Int { samples.count }

  /// Starts to listen to the devices that use these addresses; nil when ``samplesMax`` samples are being taken.
  mutating func start(_ addresses: Set<UInt64>) -> SampleID? {
    guard samples.count < Self.samplesMax else { return nil }
    if decoder == nil { decoder = PacketDecoder() }
    startedCount += 1
    let id = SampleID(number: startedCount)
    samples.append(Sample(id: id, addresses: addresses))
    return id
  }

  /// Ends a sample and returns what each advertising set sent.
  mutating func finish(_ id: SampleID) -> [SampledSet] {
    guard let index = samples.firstIndex(where: { $0.id == id }) else { return [] }
    let sets = samples.remove(at: index).sets
    if samples.isEmpty { decoder = nil }
    return sets
  }

  /// Receives a packet of advertising reports, H4 indicator first.
  mutating func receive(_ packet: RawSpan, at time: Instant) {
    guard !samples.isEmpty else { return }
    for report in decoder?.reports(in: packet, at: time) ?? [] {
      for index in samples.indices { samples[index].receive(report) }
    }
  }
}

/// Decodes advertising reports in memory of its own.
private struct PacketDecoder: ~Copyable {
  private var decoder = ArenaOwner { ReportDecoder(in: &$0) }

  mutating func reports(in packet: RawSpan, at time: Instant) -> [DecodedReport] {
    var reports: [DecodedReport] = []
    guard let packet = try? Packet(parsing: packet), let event = try? Event(parsing: packet.body) else {
      return []
    }
    _ = decoder.value.decodeReports(of: event, at: time, since: Instant(microseconds: 0)) {
      reports.append($0)
    }
    return reports
  }
}
