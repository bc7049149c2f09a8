// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// What is added to how an accessory is found; keys that are there stay as they are.
public struct RegistryExtension: Equatable, Sendable {
  public var ssid: [UInt8]?
  public var ssidPrefix: [UInt8]?
  public var alternate: DiscoveryDescriptor?

  public init(ssid: [UInt8]? = nil, ssidPrefix: [UInt8]? = nil, alternate: DiscoveryDescriptor? = nil) {
    self.ssid = ssid
    self.ssidPrefix = ssidPrefix
    self.alternate = alternate
  }
}
