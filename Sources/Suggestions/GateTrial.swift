// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
import HCI
import Interfaces
import Manifest

/// What an item of the immediate range does with a device that is strong enough, by the agent's own gate: whether it lets
/// the device in, and whether it loses it between its bursts.
///
/// Capacity: the newest ``samplesMax`` samples. Those of a device that was heard for a short time are repeated.
struct GateTrial {
  static let samplesMax = 2048
  /// As many bursts show what the gate does with all of them.
  private static let burstsMin = 12
  private static let company: UInt16 = 0x0EEE

  /// The keys without which the device is never let in; nil where it enters as it is.
  let cure: EntryCure?
  /// Whether the item loses it in between.
  let losesIt: Bool

  /// For a device that sent at these times, in milliseconds, and does so again after `pauseMilliseconds`.
  init(times: [Int64], pauseMilliseconds: Int64) {
    let times = Self.repeated(times.sorted(), pauseMilliseconds)
    let plain = Self.run(times)
    guard plain.found == 0 else {
      (cure, losesIt) = (nil, plain.lost > 0)
      return
    }
    let cures = [plain.cure, .anySample].compactMap(\.self)
    let results = cures.map { ($0, Self.run(times, $0)) }
    let best = results.first { $0.1.found > 0 }
    (cure, losesIt) = (best?.0 ?? .anySample, best.map { $0.1.lost > 0 } ?? true)
  }

  private static func repeated(_ times: [Int64], _ pause: Int64) -> [Int64] {
    let heard = times.isEmpty ? [0] : times.suffix(samplesMax)[...]
    let length = heard[heard.endIndex - 1] - heard[heard.startIndex] + max(pause, 1)
    let bursts = zip(heard, heard.dropFirst()).count { $1 - $0 >= ViewHistory.pauseMilliseconds } + 1
    let count = max(1, min((burstsMin + bursts - 1) / bursts, max(1, samplesMax / heard.count)))
    return (0..<Int64(count)).flatMap { round in heard.map { $0 + round * length } }
  }

  private static func run(
    _ times: [Int64], _ cure: EntryCure? = nil
  ) -> (found: UInt64, lost: UInt64, cure: EntryCure?) {
    var path = ManifestDataPath(manifest(cure))
    for time in times {
      let event = report
      _ = path.pipeline.receive(
        Packet(kind: .event, body: event.span.rawBytes), at: Instant(microseconds: time * 1000))
    }
    let counters = path.pipeline.counters
    guard let view = path.devices.first else { return (0, 0, nil) }
    return (counters.found, counters.lost, ItemStateLine(path, view, item: 0).gate.entryCure)
  }

  private static func manifest(_ cure: EntryCure?) -> GatewayManifest {
    var item = DisplayItem(id: "item", name: "Item")
    item.descriptor.companyIdentifier = company
    item.descriptor.range = .immediate
    if let dwell = cure?.enterDwellMilliseconds { item.gate.enterDwellMilliseconds = Int32(clamping: dwell) }
    if let samples = cure?.samplesMin { item.gate.samplesMin = UInt8(clamping: samples) }
    var app = App(name: "app", account: .user("app"))
    app.items = [item]
    var manifest = GatewayManifest()
    manifest.apps = [app]
    let few = Int32(8)
    (manifest.gateway.capacities.devices, manifest.gateway.capacities.accessories) = (few, few)
    (manifest.gateway.capacities.longPayloads, manifest.gateway.capacities.matchesPerItem) = (few, few)
    return manifest
  }

  /// LE Meta event: an advertising report of ``company`` at -20 dBm (Core Specification 5.4, Volume 4, Part E, 7.7.65.2).
  private static let report: [UInt8] = {
    let payload = [3, 0xFF, UInt8(company & 0xFF), UInt8(company >> 8)]
    let body = [0x02, 1, 0, 1, 1, 0, 0, 0, 0, 0xC0, UInt8(payload.count)] + payload + [0xEC]
    return [0x3E, UInt8(body.count)] + body
  }()
}
