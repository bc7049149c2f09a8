// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
public import Explanation
import HCI
public import Interfaces
public import JSON
public import Manifest
import ManifestFormat

/// A device as the agent tells it, and where items have it.
public struct InspectedDevice: Sendable {
  public let line: DeviceLine
  /// The address that it uses now.
  public let address: DeviceAddress
  public let reversedIdentityKey: String?
  public var states: [ItemStateLine] = []

  /// The device with what it sent; `sources` have what was received from it meanwhile.
  public func observed(in sources: SuggestionSources) -> ObservedDevice {
    let sets = (sources.device + sources.others).map(\.sampled)
    return ObservedDevice(line, states, frames: SampledSet.frames(of: address, in: sets))
  }
}

/// The replies of `Inspect`: devices, or why an item finds nothing.
public struct Inspection: Sendable {
  public private(set) var devices: [InspectedDevice] = []
  public private(set) var reasonNothingIsFound: String?

  public init() {}

  public mutating func add(_ reply: InspectReply) {
    if let device = reply.device {
      let inUse = reply.addressInUse.flatMap(AddressText.bits).map { DeviceAddress(bits: $0, type: .random) }
      devices.append(
        InspectedDevice(
          line: device, address: inUse ?? device.address, reversedIdentityKey: reply.reversedIdentityKey))
    }
    if let state = reply.itemState, !devices.isEmpty { devices[devices.count - 1].states.append(state) }
    reasonNothingIsFound = reply.reasonNothingIsFound ?? reasonNothingIsFound
  }
}

extension ManifestItem {
  /// An item in force, from a reply of `Items`; nil for the last reply.
  public init?(reply: JSONObjectReader) throws(JSONMemberError) {
    guard let object = try reply.objectIfPresent("item") else { return nil }
    let line = try ItemLine(reading: object)
    var item = DisplayItem(id: line.item, name: line.item)
    guard let descriptor = DiscoveryDescriptor(lines: line.descriptor) else {
      throw object.error("descriptor", .unknownValue)
    }
    item.descriptor = descriptor
    item.alternate = line.alternate.flatMap(DiscoveryDescriptor.init)
    self.init(app: line.app, item: item)
  }
}

extension DiscoveryDescriptor {
  /// Reads the lines of a table; nil for what is none.
  package init?(lines: [String]) {
    let log = DiagnosticLog()
    guard let table = try? TomlDocument.parse(Array(lines.joined(separator: "\n").utf8)) else { return nil }
    self.init(TableReader(table, at: ManifestKeyPath(), log: log))
    guard log.entries.isEmpty else { return nil }
  }
}
