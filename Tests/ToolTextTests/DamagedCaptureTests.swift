// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Testing
@testable import ToolText
import VirtualRadio

/// Whatever a capture holds, decoding and replaying it ends, and prints lines.
@Suite struct DamagedCaptureTests {
  private static let capture: [UInt8] = {
    var writer = CaptureWriter(start: Instant(microseconds: 1_704_067_200_000_000))
    let lamp = DeviceAddress(bits: 0x00A0_5012_3456, type: .public)
    let payload = AdvertisingPayload().manufacturerData(0x0EEE, [1, 2, 3, 4, 5, 6]).name("Lamp")
    let long = AirReport(extendedFrom: lamp, set: 1, properties: .connectable, rssi: -55, payload)
    let packets =
      [ReportEncoder.event(.legacy, AirReport(.connectable, from: lamp, rssi: -50, payload))]
      + long.fragments(of: 10).map { ReportEncoder.event(.extended, $0) }
      + [ReportEncoder.event(.directed, AirReport(directedTo: lamp, from: lamp, rssi: -40))]
    for (index, packet) in packets.enumerated() {
      let time = Instant(microseconds: 0).advanced(milliseconds: Int64(index) * 20)
      writer.append(packet, isReceived: true, at: time)
    }
    return writer.bytes
  }()

  private static var manifest: GatewayManifest {
    var item = DisplayItem(id: "lamp", name: "Lamp")
    item.descriptor.companyIdentifier = 0x0EEE
    item.descriptor.manufacturerData = MaskedBytes(blob: [1, 2])
    var app = App(name: "lights", account: .user("daemon"))
    app.items = [item]
    var manifest = GatewayManifest()
    manifest.apps = [app]
    manifest.gateway.capacities.devices = 4
    return manifest
  }

  @Test func everyPrefixIsShown() {
    for end in 0...Self.capture.count { show(Array(Self.capture[..<end])) }
  }

  @Test func everyFlippedBitIsShown() {
    for bit in 0..<(8 * Self.capture.count) {
      var damaged = Self.capture
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      show(damaged)
    }
  }

  /// Decodes, replays and explains all there is; traps are the failures.
  private func show(_ capture: [UInt8]) {
    var measuring = Arena()
    _ = CaptureDecoder(in: &measuring)
    let memory = MemoryBlock(byteCount: measuring.byteCount)
    // Holds: the decoder does not outlive the block, which this function owns to its end.
    var arena = unsafe memory.arena()
    var decoder = CaptureDecoder(in: &arena)
    var replay = CaptureReplay(ManifestDataPath(Self.manifest))
    var output = JSONWriter()
    var text = ""
    do throws(BtsnoopError) {
      var reader = try BtsnoopReader(capture.span.rawBytes)
      while let record = try reader.next() {
        decoder.decode(record) { entry in
          switch entry {
          case .report(let report):
            report.write(to: &output)
            text += report.text()
          case .other(let packet): text += packet.text()
          }
        }
        var events: [EventLine] = []
        replay.replay(record, into: &events)
        for event in events { event.write(to: &output) }
      }
    } catch {
      text += "\(error)"
    }
    for device in replay.dataPath.devices {
      DeviceLine(device).write(to: &output)
      for explanation in replay.dataPath.explanations(of: device) { text += explanation.text() }
    }
    withExtendedLifetime(memory) {}
    let lines = output.takeBytes()
    #expect(lines.isEmpty || lines.last == UInt8(ascii: "\n"))
    #expect(!text.utf8.contains(0x1B))
  }
}
