// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Manifest
import ManifestEdits
import ManifestFormat
import Suggestions

/// What `setup` makes the first accessory of an app.
enum SetupAccessory {
  private static let itemNameBytesMax = 128

  case device(DeviceArgument)
  case network(NamedNetwork)

  var text: String {
    switch self {
    case .device(let device): device.text
    case .network(let network): "the network \(network.text)"
    }
  }

  /// The option of `pick` that chooses it.
  var option: String {
    switch self {
    case .device(let device): "--device=\(device.text)"
    case .network(let network): "--network=\(network.argument)"
    }
  }

  func isAccessory(ofApp app: String, _ gateway: GatewayOptions) throws(ToolError) -> Bool {
    let accessories = try gateway.accessories(ofApp: app)
    return switch self {
    case .device(let device): accessories.contains { $0.address?.bits == device.bits }
    case .network(let network): accessories.contains { $0.ssid == network.ssid }
    }
  }

  /// An item that finds it.
  func suggestion(seconds: Int, _ gateway: GatewayOptions) throws(ToolError) -> SuggestedItem {
    switch self {
    case .device(let device):
      let suggestion = try SetupDevices.suggestion(for: device, seconds: seconds, gateway)
      suggestion.sayWarnings()
      return suggestion.item
    case .network(let network): return Self.item(for: network)
    }
  }

  /// The networks that the kernel knows, the strongest first.
  static func networksInSight(_ gateway: GatewayOptions) throws(ToolError) -> [NetworkLine] {
    try gateway.callForList(GatewayMethodName.networks, GatewayCall(all: true).write) {
      line throws(JSONMemberError) -> NetworkLine? in try line.lineIfPresent("network")
    }
  }

  /// An item that finds the network.
  static func item(for network: NamedNetwork) -> SuggestedItem {
    let names = [network.argument, "Network \(network.argument)"]
    // The item's id is made of its name.
    let name = names.first { $0.slug.isIdentifier && $0.utf8.count <= itemNameBytesMax } ?? "Network"
    var descriptor = DiscoveryDescriptor()
    descriptor.ssid = network.ssid.bytes
    return SuggestedItem(
      name: name, descriptor: descriptor, comments: ["# A network that setup was asked for."])
  }
}
