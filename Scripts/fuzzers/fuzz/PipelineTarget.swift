// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import TestSupport

/// Feeds packets to the whole data path. Before each packet stands a byte for what happens first: time passes (20
/// ms for each unit), runs backwards, leaps, or the operator or the radio interferes.
func fuzzPipeline(_ bytes: RawSpan) {
  var path = ManifestDataPath(Scene.manifest, identities: [Scene.identity])
  var cursor = EventCursor(epoch: path.pipeline.events.epoch, sequence: 0)
  var time = Instant(microseconds: 0)
  var offset = 0
  var readCount: UInt64 = 0
  while offset < bytes.byteCount {
    intervene(bytes.uint8(at: offset), at: &time, in: &path.pipeline)
    let packet = packet(in: bytes.extracting(droppingFirst: offset + 1))
    offset += 1 + packet.byteCount
    _ = path.pipeline.receive(h4: packet, at: time)
    path.pipeline.checkInvariants()
    readCount += drain(path.pipeline.events, at: &cursor)
  }
  path.pipeline.advance(to: time.advanced(milliseconds: 3_600_000))
  path.pipeline.checkInvariants()
  readCount += drain(path.pipeline.events, at: &cursor)
  precondition(readCount == path.pipeline.events.produced, "delivered and missed are not what was produced")
}

private func intervene(_ code: UInt8, at time: inout Instant, in pipeline: inout Pipeline) {
  switch code {
  case 0xFF: time = time.advanced(milliseconds: -1000)
  case 0xFE: time = time.advanced(milliseconds: 3_600_000)
  case 0xFD: pipeline.loseRadio(at: time)
  case 0xFC: _ = pipeline.setAccessory(Scene.accessory, true, rhythm: 600_000)
  case 0xFB: _ = pipeline.setAccessory(Scene.accessory, false)
  default: time = time.advanced(milliseconds: Int64(code) * 20)
  }
}

/// The packet at the front, or everything when no packet is whole.
@_lifetime(copy bytes)
private func packet(in bytes: RawSpan) -> RawSpan {
  do throws(PacketError) {
    guard case .packet(let byteCount) = try StreamFrame(measuring: bytes) else { return bytes }
    return bytes.extracting(first: byteCount)
  } catch {
    return bytes
  }
}

/// Reads every event and its payload. Returns how many were delivered or missed.
private func drain(_ events: borrowing EventRing, at cursor: inout EventCursor) -> UInt64 {
  var readCount: UInt64 = 0
  while true {
    switch events.read(&cursor) {
    case .event(let sequence, _, let payloadByteCount):
      for index in 0..<payloadByteCount { _ = events.payloadByte(of: sequence, at: index) }
      readCount += 1
    case .missed(let count): readCount += count
    case .end: return readCount
    case .reset: preconditionFailure("a cursor of this run was refused")
    }
  }
}

/// A manifest with a clause of every kind and tables so small that inputs reach their ends.
private enum Scene {
  static let accessory = DeviceAddress(bits: 0xC122_3344_5566, type: .random)

  /// The key of the Core Specification's sample.
  static let identity = IdentityKey(
    key: Block128(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B), identity: accessory)

  static let manifest: GatewayManifest = {
    var manifest = GatewayManifest()
    manifest.gateway.capacities.devices = 8
    manifest.gateway.capacities.longPayloads = 2
    manifest.gateway.capacities.reassemblies = 2
    manifest.gateway.capacities.matchesPerItem = 3
    manifest.gateway.capacities.accessories = 2
    manifest.gateway.capacities.events = 8
    manifest.gateway.capacities.eventBytes = 256
    var app = App(name: "fuzz", account: .user("fuzz"))
    app.items = [company, manufacturerData, service, serviceData, name]
    manifest.apps = [app]
    return manifest
  }()

  static let company = item("company") { $0.companyIdentifier = 0x0EEE }

  static let manufacturerData = item("manufacturer data") {
    $0.companyIdentifier = 0x0EEE
    $0.manufacturerData = MaskedBytes(blob: [0xA5, 0x5A, 0x00, 0x10], mask: [0xFF, 0xFF, 0x00, 0xF0])
    $0.range = .immediate
  }

  static let service = item("service") { $0.serviceUUID = BluetoothUUID(short: 0xFE0F) }

  static let serviceData = item("service data") {
    $0.serviceUUID = BluetoothUUID(short: 0xFE0F)
    $0.serviceData = MaskedBytes(blob: [1, 2])
  }

  static let name = item("name") {
    $0.serviceUUID = BluetoothUUID(short: 0xFE0F)
    $0.nameSubstring = Array("lumo".utf8)
    $0.nameCompareOptions = [.caseInsensitive, .anchored]
  }

  static func item(_ name: String, _ describe: (inout DiscoveryDescriptor) -> Void) -> DisplayItem {
    var item = DisplayItem(id: name, name: name)
    describe(&item.descriptor)
    return item
  }
}
