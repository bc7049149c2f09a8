// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import TestSupport
import VirtualRadio

/// A data path that hears reports one second apart, and what its devices match.
struct MatcherHarness: ~Copyable {
  var path: ManifestDataPath
  private var time = Instant(microseconds: 0)

  init(_ descriptors: DiscoveryDescriptor...) {
    var app = App(name: "test", account: .user("test"))
    app.items = descriptors.enumerated().map { index, descriptor in
      var item = DisplayItem(id: "\(index)", name: "\(index)")
      item.descriptor = descriptor
      return item
    }
    var manifest = GatewayManifest()
    manifest.apps = [app]
    path = ManifestDataPath(manifest)
  }

  mutating func hear(_ reports: AirReport..., format: ReportFormat = .legacy) {
    for report in reports {
      time = time.advanced(milliseconds: 1000)
      _ = path.pipeline.receive(h4: ReportEncoder.event(format, report).rawSpan, at: time)
    }
    path.pipeline.checkInvariants()
  }

  /// A report of an extended advertising set; `set` 0xFF is none.
  mutating func hear(
    set: UInt8, from address: DeviceAddress, _ payload: AdvertisingPayload, isResponse: Bool = false
  ) {
    let properties: ReportHeader.Properties = isResponse ? .scannable.union(.scanResponse) : .scannable
    hear(
      AirReport(extendedFrom: address, set: set, properties: properties, rssi: -60, payload),
      format: .extended)
  }

  /// The items that the device at an address matches with its last frames; nil for a device that was not heard.
  func matches(at address: DeviceAddress) -> [Int]? {
    guard let row = path.pipeline.row(at: address), let device = path.pipeline.device(at: row) else {
      return nil
    }
    return (0..<Int(device.matchCount)).map { path.pipeline.match($0, at: row) }.filter(\.isCurrent)
      .map { Int($0.item) }
  }
}
