// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Testing

@Suite("Messages of the kernel's management interface")
struct MgmtMessageTests {
  private func parsed(_ bytes: [UInt8]) throws -> MgmtEvent {
    try MgmtEvent(parsing: bytes.span.rawBytes)
  }

  @Test("Commands have code, index and length in front, least significant byte first")
  func commands() {
    #expect(MgmtCommand.set(.setPowered, to: true, 0x0102).bytes == [0x05, 0, 0x02, 0x01, 1, 0, 1])
    #expect(MgmtCommand.removeMonitor(0x0304, 0).bytes == [0x53, 0, 0, 0, 2, 0, 0x04, 0x03])
    #expect(
      MgmtCommand.setDefaults(KernelDuty(interval: 0x1234, window: 0x0056), for: .monitors, 0).bytes
        == [0x4C, 0, 0, 0, 10, 0, 0x13, 0, 2, 0x34, 0x12, 0x14, 0, 2, 0x56, 0])
    let device = DeviceAddress(bits: 0xC0A1_0000_1E27, type: .random)
    #expect(
      MgmtCommand.disconnect(device, 1).bytes == [0x14, 0, 1, 0, 7, 0, 0x27, 0x1E, 0, 0, 0xA1, 0xC0, 2])
    #expect(
      MgmtCommand.getConnectionInformation(DeviceAddress(bits: 1, type: .public), 1).bytes
        == [0x31, 0, 1, 0, 7, 0, 1, 0, 0, 0, 0, 0, 1])
    let monitor = MgmtCommand.addMonitor(0).bytes
    // A count, and one pattern of type, offset, length and 31 bytes.
    #expect(monitor.count == 6 + 1 + 34)
    #expect(monitor[4] == 35 && monitor[6] == 1 && monitor[9] == 0)
  }

  @Test("Each event is read with its parameters")
  func events() throws {
    #expect(try parsed([4, 0, 1, 0, 0, 0]) == MgmtEvent(index: 1, .added))
    #expect(try parsed([5, 0, 1, 0, 0, 0]) == MgmtEvent(index: 1, .removed))
    #expect(
      try parsed([6, 0, 0, 0, 4, 0, 0x01, 0x02, 0, 0])
        == MgmtEvent(index: 0, .settings([.powered, .lowEnergy])))
    #expect(try parsed([0x13, 0, 0, 0, 2, 0, 6, 1]) == MgmtEvent(index: 0, .discovering(true)))
    let device = DeviceAddress(bits: 0xC0A1_0000_1E27, type: .random)
    #expect(
      try parsed([0x0C, 0, 0, 0, 8, 0, 0x27, 0x1E, 0, 0, 0xA1, 0xC0, 2, 3])
        == MgmtEvent(index: 0, .disconnected(device, .byRemoteHost)))
    // A device that is not an LE device.
    #expect(
      try parsed([0x0C, 0, 0, 0, 8, 0, 0x27, 0x1E, 0, 0, 0xA1, 0xC0, 0, 3])
        == MgmtEvent(index: 0, .other(0x0C)))
    #expect(try parsed([0x2C, 0, 0, 0, 2, 0, 9, 0]) == MgmtEvent(index: 0, .monitorRemoved(handle: 9)))
    #expect(
      try parsed([1, 0, 0, 0, 5, 0, 0x52, 0, 0, 7, 0])
        == MgmtEvent(index: 0, .completed(.addMonitor, .success, returned: [7, 0])))
    #expect(
      try parsed([2, 0, 0, 0, 3, 0, 0x23, 0, 0x0A])
        == MgmtEvent(index: 0, .completed(.startDiscovery, .busy, returned: [])))
    #expect(try parsed([0x77, 0, 0xFF, 0xFF, 0, 0]) == MgmtEvent(index: 0xFFFF, .other(0x77)))
  }

  @Test("The signal strength of a link is read from the reply; 127 means that it is not known")
  func connectionInformation() {
    let device: [UInt8] = [0x27, 0x1E, 0, 0, 0xA1, 0xC0, 2]
    #expect(ConnectionInformation(device + [0xC4, 127, 127])?.rssi == -60)
    #expect(ConnectionInformation(device + [127, 127, 127]).map { $0.rssi == nil } == true)
    #expect(ConnectionInformation(device) == nil)
  }

  @Test("A message that is truncated anywhere is refused, and its error has its length")
  func truncated() throws {
    let whole: [UInt8] = [6, 0, 0, 0, 4, 0, 1, 2, 0, 0]
    for count in whole.indices {
      #expect(throws: MgmtError.truncated(byteCount: count)) { try parsed(Array(whole[..<count])) }
    }
    // A length that is too small for the event.
    #expect(throws: MgmtError.truncated(byteCount: 8)) { try parsed([6, 0, 0, 0, 2, 0, 1, 2]) }
  }
}
