// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing

@Suite("Descriptors that mean one device")
struct DescriptorOverlapTests {
  private static func company(
    _ company: UInt16 = 0x0EEE, data: MaskedBytes? = nil, name: String? = nil, service: UInt32? = nil
  ) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = company
    descriptor.manufacturerData = data
    descriptor.nameSubstring = name.map { Array($0.utf8) }
    descriptor.serviceUUID = service.map { BluetoothUUID(short: $0) }
    return descriptor
  }

  @Test("Without a common key there is no overlap")
  func keys() {
    #expect(DescriptorOverlap(Self.company(1), Self.company(2)) == nil)
    #expect(DescriptorOverlap(Self.company(), Self.company(service: 0xFE0F)) != nil)
  }

  @Test("The weaker descriptor covers the stronger one")
  func covering() {
    let weak = Self.company(data: MaskedBytes(blob: [0xA5]))
    let strong = Self.company(data: MaskedBytes(blob: [0xA5, 0x5A]))
    #expect(DescriptorOverlap(weak, strong) == .firstCoversSecond)
    #expect(DescriptorOverlap(strong, weak) == .secondCoversFirst)
    #expect(DescriptorOverlap(Self.company(), weak) == .firstCoversSecond)
    #expect(
      DescriptorOverlap(Self.company(name: "Lumo"), Self.company(name: "Lumo bulb")) == .firstCoversSecond)
  }

  @Test("A longer mask with fewer bits covers nothing")
  func masks() {
    let long = Self.company(data: MaskedBytes(blob: [0xA5, 0], mask: [0xFF, 0]))
    let short = Self.company(data: MaskedBytes(blob: [0xA5]))
    #expect(DescriptorOverlap(long, short) == .secondCoversFirst)
  }

  @Test("A network's name that is equal, or begins with the other's prefix, means the same network")
  func networks() {
    func network(_ ssid: String? = nil, prefix: String? = nil) -> DiscoveryDescriptor {
      var descriptor = DiscoveryDescriptor()
      descriptor.ssid = ssid.map { Array($0.utf8) }
      descriptor.ssidPrefix = prefix.map { Array($0.utf8) }
      return descriptor
    }
    #expect(DescriptorOverlap(network("Cam-1"), network("Cam-1")) == .firstCoversSecond)
    #expect(DescriptorOverlap(network("Cam-1"), network("Cam-2")) == nil)
    #expect(DescriptorOverlap(network("Cam-1"), network(prefix: "Cam-")) == .secondCoversFirst)
    #expect(DescriptorOverlap(network(prefix: "Cam-"), network("Cam-1")) == .firstCoversSecond)
    #expect(DescriptorOverlap(network("Cam-"), network(prefix: "Cam-")) == .secondCoversFirst)
    #expect(DescriptorOverlap(network(prefix: "Cam-"), network(prefix: "Cam-A")) == .firstCoversSecond)
    #expect(DescriptorOverlap(network(prefix: "Cam-A"), network(prefix: "Cam-")) == .secondCoversFirst)
    #expect(DescriptorOverlap(network(prefix: "Cam-A"), network(prefix: "Cam-B")) == nil)
    #expect(DescriptorOverlap(network("Cam-1"), Self.company()) == nil)
  }

  @Test("Masks that leave room for both overlap in some devices")
  func compatible() {
    let high = Self.company(data: MaskedBytes(blob: [0xA0], mask: [0xF0]))
    let low = Self.company(data: MaskedBytes(blob: [0x05], mask: [0x0F]))
    #expect(DescriptorOverlap(high, low) == .someDevices)
  }

  @Test("A differing value, name or key distinguishes devices, and so does a name here and data there")
  func apart() {
    let blob = MaskedBytes(blob: [0xA5])
    #expect(DescriptorOverlap(Self.company(data: blob), Self.company(data: MaskedBytes(blob: [0x5A]))) == nil)
    #expect(DescriptorOverlap(Self.company(name: "Bulb"), Self.company(name: "Strip")) == nil)
    #expect(DescriptorOverlap(Self.company(service: 1), Self.company(service: 2)) == nil)
    #expect(DescriptorOverlap(Self.company(data: blob), Self.company(name: "Bulb")) == nil)
  }
}
