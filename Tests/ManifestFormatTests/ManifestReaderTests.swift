// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import ManifestFormat
import Testing

@Suite("Reading a manifest")
struct ManifestReaderTests {
  private static func manifest(_ name: String) throws -> GatewayManifest {
    let text = try Fixtures.bytes(of: "\(Fixtures.folder)/good/\(name).toml")
    return try #require(ManifestReader.read(text: text, fileName: name).manifest)
  }

  @Test("A manifest that says nothing is all defaults")
  func defaults() throws {
    #expect(try Self.manifest("minimal") == GatewayManifest())
  }

  @Test("Every setting of the gateway arrives")
  func gateway() throws {
    let gateway = try Self.manifest("every-key").gateway
    #expect(gateway.radio == .index(7))
    #expect(gateway.access == .shared && gateway.power == .keep && gateway.scan == .active)
    #expect(gateway.filter == .off)
    #expect(gateway.wifi == "wlan1" && gateway.board == "pi")
    #expect(gateway.programs == [.touch: "/bin/t", .request: "/bin/r"] && gateway.identityKeys == "/etc/k")
    #expect(gateway.drainIntervalMilliseconds == 50 && gateway.changedIntervalMilliseconds == 500)
    let sizes = gateway.capacities
    #expect([sizes.devices, sizes.longPayloads, sizes.reassemblies] == [100, 10, 4])
    #expect([sizes.matchesPerItem, sizes.accessories] == [9, 11])
    #expect([sizes.events, sizes.eventBytes] == [64, 5000])
    let limits = gateway.limits
    #expect([limits.pickerIdleSeconds, limits.requestsPerMinute, limits.candidates] == [60, 6, 7])
    #expect([limits.connections, limits.connectionsPerUser, limits.connectionsForOperators] == [8, 3, 2])
    #expect(limits.writeBufferBytes == 70_000)
  }

  @Test("Every setting of a bridge arrives")
  func bridge() throws {
    var bridge = Bridge(name: "homeassistant", user: "bridge")
    (bridge.forward, bridge.apps, bridge.may) = (.items, ["a"], Set(BridgePermission.allCases))
    #expect(try Self.manifest("every-key").bridges == [bridge])
  }

  @Test("Every clause of a descriptor arrives")
  func descriptor() throws {
    let item = try #require(Self.manifest("every-key").apps.first?.items.first)
    let descriptor = item.descriptor
    #expect(descriptor.companyIdentifier == 0x0EEE)
    #expect(descriptor.manufacturerData == MaskedBytes(blob: [0xA5, 0x5A], mask: [0xFF, 0xF0]))
    #expect(descriptor.serviceUUID == BluetoothUUID(short: 0xFE0F))
    #expect(descriptor.serviceData == MaskedBytes(blob: [0x40], mask: [0xE1]))
    #expect(descriptor.nameSubstring == [UInt8(ascii: "L")])
    #expect(descriptor.nameCompareOptions == .anchored)
    #expect(descriptor.addressPrefix == AddressPrefix(of: 0xC47C_8D00_0000, byteCount: 3))
    #expect(descriptor.range == .immediate)
    #expect(descriptor.ssid == nil && descriptor.ssidPrefix == [UInt8(ascii: "C")])
    #expect(descriptor.wifiAware?.serviceName == Array("_x._tcp".utf8))
    #expect(descriptor.wifiAware?.role == .publisher)
    #expect(
      descriptor.wifiAware?.modelName
        == WiFiAwareService.NameMatch(
          text: [UInt8(ascii: "M")], compareOptions: [.caseInsensitive, .anchored]))
    #expect(descriptor.wifiAware?.vendorName == WiFiAwareService.NameMatch(text: [UInt8(ascii: "V")]))
    #expect(descriptor.supportedOptions == .bluetoothPairingLE)
    #expect(item.alternate?.serviceUUID == BluetoothUUID(short: 0xFE0F))
    #expect(item.alternate?.nameSubstring == [UInt8(ascii: "L")])
    #expect(item.alternate?.nameCompareOptions == .anchored)
  }

  @Test("Every setting of an item arrives")
  func item() throws {
    let item = try #require(Self.manifest("every-key").apps.first?.items.first)
    #expect(item.id == "i" && item.name == "N" && item.productImage == "p")
    #expect(item.selection == .touch && item.maxAccessories == 2)
    #expect(item.setupOptions == .rename && item.renameOptions == .ssid)
    let gate = item.gate
    #expect(gate.isImmediate && gate.txPower == -4)
    #expect([gate.enterPathLoss, gate.leavePathLoss] == [40, 60])
    #expect([gate.enterDwellMilliseconds, gate.leaveDwellMilliseconds] == [100, 900])
    #expect(gate.samplesMin == 2)
    #expect([gate.sampleWindowMilliseconds, gate.sampleWindowMillisecondsMax] == [1000, 6000])
    #expect([gate.silenceMilliseconds, gate.silenceMillisecondsMax] == [3000, 20_000])
  }

  @Test("Values arrive whatever form of TOML they have")
  func forms() throws {
    let manifest = try Self.manifest("forms")
    #expect(manifest.gateway.access == .exclusive)
    #expect(manifest.gateway.radio == .address(0xAABB_CC0D_EE0F))
    let app = try #require(manifest.apps.first)
    #expect(app.account == .group("lights") && app.supports == [.bluetooth, .wifi])
    #expect(app.companyIdentifiers == [0x004C, 0x0EEE, 0x0EEF, 0])
    #expect(app.services.contains(BluetoothUUID(short: 0xFE10)) && app.services.count == 4)
    #expect(app.names == [Array("Lumo".utf8), Array("灯 💡".utf8), Array("two\nlines".utf8)])
    #expect(
      app.items.map(\.id) == ["k-che-lampe-1", "x", "network", "network-of-bytes", "networks-of-bytes"])
    #expect(app.items[3].descriptor.ssid == [0x43, 0x61, 0x66, 0xE9])
    #expect(app.items[4].descriptor.ssidPrefix == [0x4E, 0x65, 0x74, 0xE9])
    #expect(app.items[0].descriptor.companyIdentifier == 0 && app.items[0].maxAccessories == 1000)
    #expect(app.items[1].gate.enterPathLoss == 45 && app.items[1].descriptor.range == .immediate)
    #expect(app.items[2].descriptor.hasWiFiClause && !app.items[2].descriptor.hasBluetoothClause)
  }

  @Test("Apps and items keep the order of the text")
  func order() throws {
    let text = """
      schema = 1
      [app.zebra]
      user = "u"
      supports = ["WiFi"]
      [app.ant]
      user = "u"
      supports = ["WiFi"]
      """
    let reading = ManifestReader.read(text: Array(text.utf8), fileName: "m")
    #expect(reading.manifest?.apps.map(\.name) == ["zebra", "ant"])
  }

  @Test("The same text gives the same lines on every run")
  func deterministic() throws {
    let text = try Fixtures.bytes(of: "\(Fixtures.folder)/bad/119-many-at-once.toml")
    let first = ManifestReader.read(text: text, fileName: "m").lines
    for _ in 0..<10 { #expect(ManifestReader.read(text: text, fileName: "m").lines == first) }
  }
}
