// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import TestSupport

/// What a matcher found, as values.
struct Found: Equatable {
  /// The items kept, ascending.
  var items: [Int]
  /// Items that matched, those not kept included.
  var total: Int

  static let nothing = Found(items: [], total: 0)

  /// Items of which all are kept.
  static func items(_ items: Int...) -> Found { Found(items: items, total: items.count) }
}

/// The matcher that a manifest's data path compiles, its tables measured for exactly these descriptors.
struct CompiledMatcher: ~Copyable {
  var path: ManifestDataPath

  /// One item for each descriptor.
  init(_ descriptors: DiscoveryDescriptor...) { self.init(items: descriptors.map { [$0] }) }

  /// Items of one or two descriptors each.
  init(items: [[DiscoveryDescriptor]]) {
    var manifest = GatewayManifest()
    manifest.gateway.capacities.devices = 2
    manifest.gateway.capacities.longPayloads = 2
    manifest.gateway.capacities.events = 2
    manifest.gateway.capacities.eventBytes = 64
    var app = App(name: "test", account: .user("test"))
    app.items = items.enumerated().map { index, descriptors in
      var item = DisplayItem(id: "\(index)", name: "\(index)")
      item.descriptor = descriptors[0]
      item.alternate = descriptors.count > 1 ? descriptors[1] : nil
      return item
    }
    manifest.apps = [app]
    path = ManifestDataPath(manifest)
  }

  /// What the merged view of advertising data and scan response matches.
  mutating func find(_ data: [UInt8], response: [UInt8] = [], of address: DeviceAddress? = nil) -> Found {
    let found = evaluation(data, response, of: address).items
    return Found(items: (0..<found.count).map { Int(found[$0]) }, total: found.total)
  }

  private mutating func evaluation(
    _ data: [UInt8], _ response: [UInt8], of address: DeviceAddress?
  ) -> Evaluation {
    let unknown = DeviceAddress(bits: 0, type: .anonymous)
    return path.pipeline.matcher.evaluate(data.rawSpan, response.rawSpan, of: address ?? unknown)
  }

  /// What else an evaluation says: losses by kind, and the stated transmit power.
  mutating func remarks(_ data: [UInt8], response: [UInt8] = []) -> Remarks {
    let result = evaluation(data, response, of: nil)
    return Remarks(
      lengthPastEnd: Int(result.lengthPastEnd), dataAfterEnd: Int(result.dataAfterEnd),
      wrongSize: Int(result.wrongSize), txPower: result.txPower)
  }
}

/// What an evaluation says besides the items.
struct Remarks: Equatable {
  var lengthPastEnd = 0
  var dataAfterEnd = 0
  var wrongSize = 0
  var txPower: Int8?
}
