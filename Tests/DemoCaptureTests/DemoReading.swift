// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import ManifestFormat
import SceneFormat
import TestSupport
import Testing
import VirtualRadio
import make_demo_capture

/// The demonstration's capture, read by the agent's own parsers.
struct DemoReading {
  struct Heard {
    var time: Instant
    var header: ReportHeader
  }

  let scene: SceneScript
  let bytes: [UInt8]
  let capture: CaptureReading
  private(set) var formats: Set<ReportFormat> = []
  private(set) var heard: [Heard] = []
  private(set) var eventsOfSeveralReports = 0
  /// Kinds of the packets that are no report events.
  private(set) var others: [PacketKind?] = []

  init() throws {
    let path = TestData.packageRoot + "/Config/demo-scene.toml"
    let text = try FileContents(reading: path, byteCountMax: 1 << 20).bytes
    let reading = SceneReader.read(text: text, fileName: "demo-scene.toml")
    #expect(reading.lines == [])
    scene = try #require(reading.value)
    bytes = DemoCapture.bytes(of: scene)
    capture = CaptureReading(bytes)
    #expect(capture.error == nil)
    for record in capture.records { add(EventReading(record.packet ?? []), at: record.time) }
  }

  /// The key with which the wallet's addresses are one device.
  var walletKey: IdentityKey {
    get throws {
      let wallet = try #require(scene.devices.first { $0.name == "Wallet-tag" })
      guard case .resolvable(let key, _) = wallet.address else { throw Absence() }
      return IdentityKey(key: key, identity: DeviceAddress(bits: 0xD0E3_4C5B_0201, type: .random))
    }
  }

  private struct Absence: Error {}

  var headers: [ReportHeader] { heard.map(\.header) }

  /// The mean level of a device's reports in a range of seconds since the first record.
  func level(of address: DeviceAddress, seconds: Range<Int64>) -> Int {
    let readings = heard.filter {
      $0.header.address == address
        && seconds.contains($0.time.milliseconds(since: capture.records[0].time) / 1000)
    }
    return readings.reduce(0) { $0 + Int($1.header.rssi) } / max(readings.count, 1)
  }

  private mutating func add(_ event: EventReading, at time: Instant) {
    guard let format = event.format else {
      others.append(event.kind)
      return
    }
    #expect(event.errors.isEmpty)
    formats.insert(format)
    heard += event.reports.map { Heard(time: time, header: $0.header) }
    if event.reports.count > 1 { eventsOfSeveralReports += 1 }
  }
}
