// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import ManifestFormat
import SceneFormat
import TestSupport
import Testing
import VirtualRadio

/// The shipped scene, received as the agent receives it: through a controller that it has initialized.
@Suite("The demonstration's scene, live")
struct DemoSceneTests {
  private struct Heard {
    var levels: [UInt64: [(second: Int64, level: Int)]] = [:]
    var sets: Set<UInt8> = []
  }

  private static func scene() throws -> SceneScript {
    let text = try Fixtures.bytes(of: TestData.packageRoot + "/Config/demo-scene.toml")
    return try #require(SceneReader.read(text: text, fileName: "demo-scene.toml").value)
  }

  private func listen(_ scene: SceneScript, plan: ScanPlan, seconds: Int64) -> Heard {
    var controller = VirtualController(scene)
    var initializer = ControllerInitializer()
    var heard = Heard()
    var now = Instant(microseconds: 0)
    send(initializer.start(plan, now: now), to: &controller, now)
    while now.microseconds < seconds * 1_000_000 {
      now = now.advanced(milliseconds: 20)
      while let packet = controller.next(before: now) {
        for report in EventReading(packet.bytes).reports {
          let second = packet.time.microseconds / 1_000_000
          heard.levels[report.header.address.bits, default: []].append((second, Int(report.header.rssi)))
          heard.sets.insert(report.header.advertisingSID)
        }
        guard let event = try? Event(parsing: Array(packet.bytes.dropFirst()).rawSpan) else { continue }
        send(initializer.received(event, now: now), to: &controller, now)
      }
      send(initializer.timeout(now: now), to: &controller, now)
    }
    return heard
  }

  private func send(
    _ output: ControllerInitializer.Output, to controller: inout VirtualController, _ now: Instant
  ) {
    guard let command = output.command else { return }
    let bytes = command.bytes
    controller.receive(bytes.indices.map { bytes[$0] }, at: now)
  }

  private static var fullTime: ScanPlan {
    var plan = ScanPlan()
    plan.duty.windowMilliseconds = plan.duty.intervalMilliseconds
    return plan
  }

  @Test("The bulb comes close to the gateway and leaves again")
  func carriedBulb() throws {
    let heard = listen(try Self.scene(), plan: Self.fullTime, seconds: 40)
    let bulb = try #require(heard.levels[0xC4A1_0000_1E27])
    let near = bulb.filter { (13..<30).contains($0.second) }.map(\.level)
    let far = bulb.filter { $0.second < 9 || $0.second > 34 }.map(\.level)
    #expect((-42 ... -34).contains(near.reduce(0, +) / near.count))
    #expect(far.reduce(0, +) / far.count < -70)
    #expect(heard.levels.count > 25 && heard.sets.count > 3)
  }

  @Test("A controller without extended advertising receives the legacy part")
  func legacyController() throws {
    var scene = try Self.scene()
    scene.controller.hasExtendedAdvertising = false
    let heard = listen(scene, plan: Self.fullTime, seconds: 20)
    #expect(heard.levels[0xC4A1_0000_1E27] != nil && heard.sets == [ReportHeader.noAdvertisingSID])
  }
}
