// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite("A virtual controller's commands")
struct ControllerCommandTests {
  /// The commands that a Linux kernel sends to initialize an LE controller, with parameters of the right length.
  static let kernel: [(opcode: UInt16, parameters: Int)] = [
    (0x0C03, 0), (0x1003, 0), (0x1001, 0), (0x1009, 0), (0x1002, 0), (0x1005, 0), (0x0C14, 0), (0x2003, 0),
    (0x2002, 0), (0x201C, 0), (0x0C01, 8), (0x2001, 8), (0x200F, 0), (0x2010, 0), (0x2023, 0), (0x202F, 0),
    (0x2024, 4), (0x2031, 3), (0x0C63, 8),
  ]

  @Test("A kernel's initialization succeeds with every command")
  func kernelInitialization() {
    var host = Host()
    for command in Self.kernel + [(0x203A, 0), (0x203B, 0)] {
      let status = host.send(command.opcode, Array(repeating: 0, count: command.parameters))
      #expect(status == 0, "0x\(String(command.opcode, radix: 16))")
    }
    #expect(host.heard.count == 21 && host.controller.counters.unknownCommands == 0)
  }

  @Test("A kernel that powers it off can disable all advertising, and no advertising set exists")
  func advertising() {
    var host = Host()
    #expect(host.send(0x2039, [0, 0]) == 0 && host.send(0x203D) == 0)
    #expect(host.send(0x2039, hex("01 01 00 0000 00")) == 0x42 && host.send(0x203C, [0]) == 0x42)
    #expect(host.send(0x2039, [1, 0]) == 0x12)  // nothing to enable
    #expect(host.send(0x2039, [2, 0]) == 0x12)
    #expect(host.send(0x2039, hex("00 02 00 0000 00")) == 0x12)  // fewer sets than it announces
    var script = ControllerScript()
    script.hasExtendedAdvertising = false
    var legacy = Host(script)
    #expect(legacy.send(0x2039, [0, 0]) == 0x01)
  }

  @Test("The supported commands are exactly those that are known", arguments: [true, false])
  func supported(isExtended: Bool) throws {
    var script = ControllerScript()
    script.hasExtendedAdvertising = isExtended
    var host = Host(script)
    host.send(.readSupportedCommands)
    let bytes = try #require(host.returned(0x1002))
    let read = SupportedCommands(returned: bytes.rawSpan)
    let commands = try #require(read)
    #expect(commands.contains(.leSetScanParameters) && commands.contains(.leSetScanEnable))
    #expect(commands.contains(.leSetExtendedScanParameters) == isExtended)
    #expect(commands.contains(.leSetExtendedScanEnable) == isExtended)
    #expect((host.send(0x203B) == 0) == isExtended)
  }

  @Test("Features and version are the script's, and do not depend on one another")
  func features() throws {
    var host = Host(.pi)
    host.send(.leReadLocalFeatures)
    host.send(.readLocalVersion)
    let bytes = try #require(host.returned(0x2003))
    let features = LEFeatures(
      rawValue: bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << ($1.offset * 8) })
    #expect(!features.contains(.extendedAdvertising) && !features.contains(.codedPHY))
    #expect(host.returned(0x1001)?.first == 9)
    #expect(host.send(.leSetExtendedScanEnable(true)) == 0x01)
  }

  @Test("The address is the script's, least significant byte first")
  func address() {
    var script = ControllerScript()
    script.address = 0xDCA6_3200_0001
    var host = Host(script)
    host.send(.readAddress)
    #expect(host.returned(0x1009) == [0x01, 0x00, 0x00, 0x32, 0xA6, 0xDC])
  }

  @Test("An unknown command is refused with a Command Status")
  func unknown() {
    var host = Host()
    #expect(host.send(0xFC01, [1, 2]) == 0x01)
    #expect(host.heard.last?.bytes == hex("04 0F 04 01 01 01FC"))
    #expect(host.controller.counters.unknownCommands == 1)
  }

  @Test("Too few or too many parameters are refused")
  func length() {
    var host = Host()
    #expect(host.send(0x200C, [1]) == 0x12)
    #expect(host.send(0x0C03, [1]) == 0x12)
    #expect(host.send(0x2041, [0, 0, 1]) == 0x12)
    #expect(host.send(0x2041, [0, 0, 5, 0, 4, 0, 4, 0]) == 0x12)
  }

  @Test("Legacy and extended commands cannot be mixed before a reset")
  func mixing() {
    var host = Host()
    #expect(host.send(.leSetScanParameters(.fullTime(.active))) == 0)
    #expect(host.send(.leSetExtendedScanEnable(true)) == 0x0C)
    #expect(host.send(.reset) == 0)
    #expect(host.send(.leSetExtendedScanParameters(le1M: .fullTime(.active), coded: nil)) == 0)
    #expect(host.send(.leSetScanParameters(.fullTime(.active))) == 0x0C)
    #expect(host.send(.leSetScanEnable(true)) == 0x0C)
  }

  @Test("Parameters outside their ranges are refused")
  func ranges() {
    var host = Host()
    #expect(host.send(0x200B, hex("02 6000 6000 00 00")) == 0x12)  // a scan type that is reserved
    #expect(host.send(0x200B, hex("00 0300 0300 00 00")) == 0x12)  // an interval below 2.5 ms
    #expect(host.send(0x200B, hex("00 0140 0140 00 00")) == 0x12)  // an interval above 10.24 s
    #expect(host.send(0x200B, hex("00 3000 6000 00 00")) == 0x12)  // a window above its interval
    #expect(host.send(0x200B, hex("00 6000 6000 04 00")) == 0x12)  // an own address type that is reserved
    #expect(host.send(0x200B, hex("00 6000 6000 00 04")) == 0x12)  // a filter policy that is reserved
    #expect(host.send(0x200C, hex("02 00")) == 0x12)
    host.send(.reset)
    #expect(host.send(0x2041, hex("00 00 00 00 6000 6000")) == 0x11)  // no PHY
    #expect(host.send(0x2041, hex("00 00 02 00 6000 6000")) == 0x11)  // 2M is no primary PHY
    #expect(host.send(0x2042, hex("01 02 0000 0000")) == 0x12)  // a filter per period without a period
    #expect(host.send(0x2042, hex("01 00 8000 0100")) == 0x12)  // a duration as long as its period
    #expect(host.send(0x2042, hex("01 00 0000 0100")) == 0x12)  // a period without a duration
  }

  @Test("Coded PHY is refused by a controller that lacks it")
  func noCodedPHY() {
    var script = ControllerScript()
    script.hasCodedPHY = false
    var host = Host(script)
    #expect(host.send(.leSetExtendedScanParameters(le1M: nil, coded: .fullTime(.passive))) == 0x11)
  }

  @Test("While it scans, its parameters cannot be changed")
  func whileScanning() {
    var host = Host()
    host.scan()
    #expect(host.send(.leSetScanParameters(.fullTime(.active))) == 0x0C)
    #expect(host.send(.leSetRandomAddress(0xC000_0000_0001)) == 0x0C)
    #expect(host.send(.leSetScanEnable(false)) == 0)
    #expect(host.send(.leSetScanParameters(.fullTime(.active))) == 0)
  }

  @Test("A scan with a random address needs one")
  func randomAddress() {
    var host = Host()
    host.send(.leSetScanParameters(.fullTime(.active), ownAddress: .random))
    #expect(host.send(.leSetScanEnable(true)) == 0x12)
    host.send(.leSetRandomAddress(0xC000_0000_0001))
    #expect(host.send(.leSetScanEnable(true)) == 0)
  }

  @Test("The accept list has sixteen places")
  func acceptList() {
    var host = Host()
    for index: UInt8 in 0..<16 { #expect(host.send(0x2011, [0, index, 0, 0, 0, 0, 0]) == 0) }
    #expect(host.send(0x2011, [0, 3, 0, 0, 0, 0, 0]) == 0)
    #expect(host.send(0x2011, [0, 16, 0, 0, 0, 0, 0]) == 0x07)
    #expect(host.send(0x2011, [2, 3, 0, 0, 0, 0, 0]) == 0x12)
    #expect(host.send(0x2012, [0, 3, 0, 0, 0, 0, 0]) == 0)
    #expect(host.send(0x2011, [0, 16, 0, 0, 0, 0, 0]) == 0)
    #expect(host.send(0x2010) == 0)
  }
}
