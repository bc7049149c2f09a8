// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import JSON
import Manifest

/// The code under measurement, fed from a stream.
struct Workload: ~Copyable {
  private var path: ManifestDataPath
  private(set) var matched = 0
  private var time: Int64 = 0
  private var evaluation = Evaluation()
  private let batches = ArenaOwner { ReportBatches(in: &$0) }

  init(_ manifest: GatewayManifest) { path = ManifestDataPath(manifest) }

  var byteCount: Int { path.byteCount }

  /// Every packet parsed down to its AD structures and matched, whether it repeats an earlier one or not.
  @inline(never)
  mutating func runMatcher(_ stream: borrowing Stream) {
    let bytes = stream.bytes.span.rawBytes
    for index in 0..<stream.count {
      matched += match(bytes.extracting(stream.starts[index]..<stream.starts[index + 1]))
    }
  }

  /// Takes reports as the pipeline does.
  @inline(__always)
  private mutating func match(_ bytes: RawSpan) -> Int {
    var count = 0
    do throws(PacketError) {
      let packet = try Packet(parsing: bytes)
      guard let format = AdvertisingReport.loneFormat(packet.body) else { return 0 }
      if format == .legacy {
        guard let report = AdvertisingReport(loneLegacy: packet.body) else { return 0 }
        evaluate(report.data)
      } else {
        guard let report = AdvertisingReport(loneExtended: packet.body) else { return 0 }
        evaluate(report.data)
      }
      count += evaluation.items.total
    } catch {}
    return count
  }

  @inline(__always)
  private mutating func evaluate(_ data: RawSpan) {
    path.path.pipeline.matcher.evaluate(data, data.slice(at: 0, count: 0), into: &evaluation)
  }

  /// Ten reports between two reloads, each with one item less or more than the one before.
  mutating func runReload(_ stream: borrowing Stream, _ manifest: GatewayManifest, round: Int) {
    let bytes = stream.bytes.span.rawBytes
    for index in 0..<10 {
      let place = (10 * round + index) % stream.count
      time += 200
      _ = path.path.pipeline.receive(
        h4: bytes.extracting(stream.starts[place]..<stream.starts[place + 1]), at: Instant(microseconds: time)
      )
    }
    var other = manifest
    if round % 2 == 0 { other.apps[0].items.removeLast() }
    let summary = path.reload(other, at: Instant(microseconds: time))
    matched += summary.itemsKept
  }

  /// Every packet through the whole pipeline, a millisecond apart.
  @inline(never)
  mutating func runPipeline(_ stream: borrowing Stream, round: Int) {
    receive(stream, 0..<stream.count)
    matched = Int(path.pipeline.counters.found)
  }

  @inline(__always)
  private mutating func receive(_ stream: borrowing Stream, _ places: Range<Int>) {
    let bytes = stream.bytes.span.rawBytes
    for index in places {
      time += 1000
      _ = path.path.pipeline.receive(
        h4: bytes.extracting(stream.starts[index]..<stream.starts[index + 1]), at: Instant(microseconds: time)
      )
    }
  }

  /// Opens a stream of reports that wants all of them, or none that come.
  mutating func openReports(everything: Bool) {
    path.pipeline.reports = batches.value
    path.pipeline.reports.open(0, patienceMilliseconds: 100, at: Instant(microseconds: 0))
    path.pipeline.wantEverything(everything ? 1 : 0)
    path.pipeline.followWants()
  }

  /// Every packet through the whole pipeline; a batch leaves with sixteen reports, as if a reader had taken it.
  @inline(never)
  mutating func runReports(_ stream: borrowing Stream) {
    for start in stride(from: 0, to: stream.count, by: 16) {
      receive(stream, start..<min(start + 16, stream.count))
      matched += path.path.pipeline.reports.sendBatch()
    }
  }

  /// A report as an object of 180 bytes, with the kinds of values that events have.
  @inline(never)
  mutating func runJSON(_ count: Int) {
    let data = [UInt8](0..<31)
    for _ in 0..<count {
      time += 1000
      var json = JSONWriter(reserving: 256)
      json.message { json in
        json.member("sequence", 100_000 + time / 1000)
        json.member("event", "changed")
        json.member("address", "C4:7C:8D:00:11:22")
        json.member("addressType", "random")
        json.member("rssi", Int8(-61))
        json.member("item", "thermometer")
        json.member("data", Hex(data))
      }
      matched = json.takeBytes().count
    }
  }
}

extension ReportBatches {
  /// As if the reader of the first stream had taken its batch. In place: a batch that is only looked at is copied.
  fileprivate mutating func sendBatch() -> Int {
    defer { batchWasSent(0) }
    return batch(0).byteCount
  }
}
