// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LaboratoryRadio
import Testing
import VirtualRadio

@Suite("A fault of the lab's controller") struct StationFaultTests {
  private let reset = PacketEncoder.command(0x0C03)
  private let scanEnable = PacketEncoder.command(0x200C, [1, 0])

  private func verdict(_ fault: inout StationFault, _ packet: [UInt8]) throws -> StationFault.Verdict {
    fault.verdict(on: try #require(HostCommand(packet)))
  }

  @Test("silence swallows commands until the reset that cures it")
  func silence() throws {
    var fault = StationFault(.silent, cure: .resets(2))
    #expect(try verdict(&fault, scanEnable) == .swallowed)
    #expect(try verdict(&fault, reset) == .swallowed)
    #expect(try verdict(&fault, reset) == .cured)
  }

  @Test("a deaf controller answers, and reports again when a scan is enabled")
  func deafness() throws {
    var fault = StationFault(.deaf, cure: .scanEnables(1))
    #expect(try verdict(&fault, reset) == .delivered)
    #expect(fault.passes(PacketEncoder.commandComplete(0x0C03)))
    #expect(!fault.passes(PacketEncoder.leMetaEvent(0x02, [1, 0])))
    #expect(try verdict(&fault, PacketEncoder.command(0x200C, [0, 0])) == .delivered)
    #expect(try verdict(&fault, scanEnable) == .cured)
  }

  @Test("only the named command is refused")
  func refusal() throws {
    var fault = StationFault(.refusing(status: 0x0C), opcode: 0x200C)
    #expect(try verdict(&fault, reset) == .delivered)
    #expect(try verdict(&fault, scanEnable) == .answered([4, 0x0E, 4, 1, 0x0C, 0x20, 0x0C]))
  }
}
