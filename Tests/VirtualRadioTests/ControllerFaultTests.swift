// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite("A virtual controller fails as its script says")
struct ControllerFaultTests {
  private func host(_ faults: ControllerFault..., devices: [SceneDevice] = []) -> Host {
    var script = ControllerScript()
    script.faults = faults
    return Host(script, devices)
  }

  private static let address = ControllerFault.Trigger.command(.readAddress)

  @Test("An answer comes late")
  func late() throws {
    var host = host(ControllerFault(Self.address, .late(milliseconds: 700)))
    #expect(host.send(.readAddress) == nil)
    host.listen(milliseconds: 1000)
    #expect(try #require(host.heard.first).time == Instant(microseconds: 701_000))
  }

  @Test("A command or its answer is lost")
  func lost() {
    for (stage, isScanning) in [(ControllerFault.Stage.before, false), (.after, true)] {
      var host = host(
        ControllerFault(.command(.leSetScanEnable), .lost, stage: stage), devices: [.bulb])
      host.unmask()
      #expect(host.send(.leSetScanEnable(true)) == nil)
      host.listen(milliseconds: 1000)
      #expect(host.reports.isEmpty != isScanning)
    }
  }

  @Test("A command is refused, or carried out and reported as refused")
  func refused() {
    for (stage, isScanning) in [(ControllerFault.Stage.before, false), (.after, true)] {
      var host = host(
        ControllerFault(.command(.leSetScanEnable), .refused(.hardwareFailure), stage: stage),
        devices: [.bulb])
      host.unmask()
      #expect(host.send(.leSetScanEnable(true)) == 3)
      host.listen(milliseconds: 1000)
      #expect(host.reports.isEmpty != isScanning)
    }
  }

  @Test("Some commands pass, some fail, and then the fault ends")
  func occurrences() {
    var host = host(ControllerFault(Self.address, .lost, skips: 2, times: 2))
    #expect((0..<6).map { _ in host.send(.readAddress) } == [0, 0, nil, nil, 0, 0])
  }

  @Test("A hardware error comes before or after an answer, or at a time")
  func hardwareError() {
    var before = host(ControllerFault(Self.address, .hardwareError(9)))
    before.send(.readAddress)
    #expect(before.heard.map { $0.bytes[1] } == [0x10, 0x0E])
    var after = host(ControllerFault(Self.address, .hardwareError(9), stage: .after))
    after.send(.readAddress)
    #expect(after.heard.map { $0.bytes[1] } == [0x0E, 0x10])
    var timed = host(ControllerFault(.time(.seconds(2)), .hardwareError(9)))
    timed.listen(milliseconds: 3000)
    #expect(timed.heard.map(\.time) == [.seconds(2)] && timed.heard.map(\.bytes) == [hex("04 10 01 09")])
  }

  @Test("Garbage is sent unchanged")
  func garbage() {
    var host = host(ControllerFault(Self.address, .garbage([0xDE, 0xAD]), stage: .after))
    host.send(.readAddress)
    #expect(host.heard.last?.bytes == [0xDE, 0xAD])
  }

  @Test("During a silence there are no answers and no reports; it ends after its time or with a power cycle")
  func silence() {
    var healing = host(
      ControllerFault(.time(.seconds(1)), .silence(milliseconds: 2000)), devices: [.bulb])
    healing.scan()
    healing.listen(milliseconds: 6000)
    let seconds = Set(healing.heard.map { $0.time.microseconds / 1_000_000 })
    #expect(seconds == [0, 3, 4, 5, 6])

    var stuck = host(ControllerFault(.time(.seconds(1)), .silence(milliseconds: nil)), devices: [.bulb])
    stuck.listen(milliseconds: 2000)
    #expect(stuck.send(.reset) == nil)
    stuck.controller.powerCycle(at: stuck.now)
    #expect(stuck.send(.reset) == 0)
  }

  @Test("Pulled out, it is gone; put back, it starts from its reset state")
  func unplug() {
    var host = host(ControllerFault(.time(.seconds(1)), .unplug(milliseconds: 500)), devices: [.bulb])
    host.scan()
    host.listen(milliseconds: 1200)
    #expect(!host.controller.isPlugged && host.send(.reset) == nil)
    host.listen(milliseconds: 2000)
    #expect(host.controller.isPlugged)
    #expect(host.heard.allSatisfy { $0.time < .seconds(1) })
    #expect(host.send(.readAddress) == 0)
    host.scan()
    host.listen(milliseconds: 500)
    #expect(host.heard.contains { $0.time > .seconds(3) && $0.bytes[1] == 0x3E })
  }

  @Test("A command can cause a silence, with or without its answer")
  func silenceAtACommand() {
    var before = host(ControllerFault(Self.address, .silence(milliseconds: nil)))
    #expect(before.send(.readAddress) == nil && before.send(.reset) == nil)
    var after = host(ControllerFault(Self.address, .silence(milliseconds: nil), stage: .after))
    #expect(after.send(.readAddress) == 0 && after.send(.reset) == nil)
  }
}
