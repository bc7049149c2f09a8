// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite("Bytes to a virtual controller")
struct ControllerStreamTests {
  private static let script: [UInt8] =
    CommandPacket.reset.array + PacketEncoder.acl(connection: 1, [1, 2, 3]) + CommandPacket.readAddress.array
    + CommandPacket.leSetScanParameters(.fullTime(.active)).array + CommandPacket.leSetScanEnable(true).array

  private func answers(to pieces: [[UInt8]]) -> [ScenePacket] {
    var host = Host()
    for piece in pieces { host.controller.receive(piece, at: host.now) }
    host.listen(milliseconds: 20)
    #expect(host.controller.counters.otherPackets == 1)
    return host.heard
  }

  @Test("Bytes have the same effect in pieces of any size")
  func cuts() {
    let whole = answers(to: [Self.script])
    #expect(whole.count == 4)
    for cut in 1..<Self.script.count {
      #expect(answers(to: [Array(Self.script[..<cut]), Array(Self.script[cut...])]) == whole, "\(cut)")
    }
    #expect(answers(to: Self.script.map { [$0] }) == whole)
  }

  @Test("Out of step, it reports a hardware error, and a Reset brings it back")
  func resynchronisation() {
    var host = Host()
    host.controller.receive([0x77] + CommandPacket.readAddress.array, at: host.now)
    host.listen(milliseconds: 10)
    #expect(host.heard.map(\.bytes) == [hex("04 10 01 00")])
    #expect(host.send(.readAddress) == nil)
    #expect(host.send(.reset) == 0)
    #expect(host.send(.readAddress) == 0)
    #expect(host.controller.counters.streamErrors == 1)
  }

  @Test("Any damage to the host's bytes ends in answers or silence, and a Reset still works")
  func damage() {
    withEveryDamage(of: Self.script) { bytes, damage in
      var host = Host(ControllerScript(), [.bulb])
      host.controller.receive(bytes, at: host.now)
      host.listen(milliseconds: 200)
      // Completes the packet whose length was damaged.
      host.controller.receive(Array(repeating: 0, count: 65_540), at: host.now)
      host.controller.receive(CommandPacket.reset.array, at: host.now)
      host.listen(milliseconds: 200)
      #expect(host.send(.readAddress) == 0, "\(damage)")
    }
  }
}
