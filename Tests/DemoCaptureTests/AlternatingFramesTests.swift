// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import LinuxSystem
import Manifest
import ManifestFormat
import SceneFormat
import TestSupport
import Testing
import VirtualRadio
import make_demo_capture

/// The shipped scene of devices that send several frames in turn, and its recording.
@Suite struct AlternatingFramesTests {
  private static func file(_ name: String) throws -> [UInt8] {
    try FileContents(reading: TestData.packageRoot + "/Config/" + name, byteCountMax: 1 << 20).bytes
  }

  private static func service(_ uuid: UInt32, _ data: [UInt8] = []) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.serviceUUID = BluetoothUUID(short: uuid)
    if !data.isEmpty {
      descriptor.serviceData = MaskedBytes(blob: data, mask: data.map { _ in 0xFF })
    }
    return descriptor
  }

  private static func company(_ company: UInt16, _ data: [UInt8]) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = company
    descriptor.manufacturerData = MaskedBytes(blob: data, mask: data.map { _ in 0xFF })
    return descriptor
  }

  /// Items that each know one frame of a device.
  private static var manifest: GatewayManifest {
    var near = service(0xFEAA, [0x00])
    near.range = .immediate
    let descriptors = [
      ("eddystone-uid", near), ("eddystone-url", service(0xFEAA, [0x10])),
      ("eddystone-tlm", service(0xFEAA, [0x20])), ("ibeacon", company(0x004C, [0x02, 0x15])),
      ("fast-pair", service(0xFE2C)), ("maker", company(0x0EEE, [0x10])), ("bthome", service(0xFCD2, [0x40])),
      ("restless", company(0x0EEE, [0x01, 0x02])),
    ]
    var app = App(name: "frames", account: .user("frames"))
    app.items = descriptors.map { id, descriptor in
      var item = DisplayItem(id: id, name: id)
      item.descriptor = descriptor
      return item
    }
    var manifest = GatewayManifest()
    manifest.apps = [app]
    return manifest
  }

  private func events() throws -> [(item: String, event: SightingEvent, reason: SightingReason)] {
    var path = ManifestDataPath(Self.manifest)
    let capture = CaptureReading(try Self.file("alternating-frames.btsnoop"))
    for record in capture.records {
      let packet = record.packet ?? []
      _ = path.pipeline.receive(h4: packet.span.rawBytes, at: record.time)
    }
    var cursor = EventCursor(epoch: Block128(high: 0, low: 0), sequence: 0)
    var events: [(String, SightingEvent, SightingReason)] = []
    while case .event(_, let sighting, _) = path.pipeline.events.read(&cursor) {
      events.append((path.item(of: sighting).item.id, sighting.event, sighting.reason))
    }
    return events
  }

  @Test func theCommittedCaptureIsTheGenerators() throws {
    let reading = SceneReader.read(
      text: try Self.file("alternating-frames.toml"), fileName: "alternating-frames.toml")
    #expect(reading.lines == [])
    let isCurrent =
      DemoCapture.bytes(of: try #require(reading.value)) == (try Self.file("alternating-frames.btsnoop"))
    #expect(
      isCurrent,
      "make it again: swift run make-demo-capture Config/alternating-frames.toml > Config/alternating-frames.btsnoop"
    )
  }

  @Test func everyItemFindsItsDeviceOnceAndKeepsIt() throws {
    let events = try events()
    let ids = Self.manifest.items.map(\.item.id)
    for id in ids { #expect(events.count { $0.item == id && $0.event == .found } == 1, "\(id)") }
    #expect(events.allSatisfy { $0.event != .lost })
    #expect(events.contains { $0.item == "eddystone-uid" && $0.reason == .entered })
  }

  /// One event for each second of the recording, at most.
  @Test func changesAreReportedOnceASecondAtMost() throws {
    let changes = Dictionary(grouping: try events().filter { $0.event == .changed }, by: \.item)
    #expect(changes.values.allSatisfy { $0.count <= DemoCapture.seconds })
    // Constant frames of several kinds, however fast they alternate, and the first scan response are no changes.
    #expect(changes["restless"] == nil && changes["ibeacon"] == nil)
  }
}
