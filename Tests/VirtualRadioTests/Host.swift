// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

/// A host that sends commands to a controller and keeps the packets it receives.
struct Host {
  var controller: VirtualController
  var now = Instant(microseconds: 0)
  var heard: [ScenePacket] = []

  init(_ script: ControllerScript = ControllerScript(), _ devices: [SceneDevice] = [], seed: UInt64 = 7) {
    controller = VirtualController(script, scene: devices, seed: seed)
  }

  /// Sends a command, listens for 10 ms, and returns the status, or nil when there is no answer.
  @discardableResult mutating func send(_ packet: CommandPacket) -> UInt8? {
    send(bytes: packet.array)
  }

  @discardableResult mutating func send(_ opcode: UInt16, _ parameters: [UInt8] = []) -> UInt8? {
    send(bytes: PacketEncoder.command(opcode, parameters))
  }

  mutating func send(bytes: [UInt8]) -> UInt8? {
    let before = heard.count
    controller.receive(bytes, at: now)
    listen(milliseconds: 10)
    return heard[before...].lazy.compactMap { $0.status(of: Array(bytes[1...2])) }.first
  }

  mutating func listen(milliseconds: Int64) {
    now = now.advanced(milliseconds: milliseconds)
    while let packet = controller.next(before: now) { heard.append(packet) }
  }

  /// The reports received so far.
  var reports: [AirReport] { heard.flatMap { VirtualRadioTests.reports(in: $0.bytes)?.reports ?? [] } }

  /// The return values of a command, without its status.
  func returned(_ opcode: UInt16) -> [UInt8]? {
    heard.last {
      $0.bytes.starts(with: [4, 0x0E])
        && Array($0.bytes[4...5]) == [UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
    }
    .map { Array($0.bytes[7...]) }
  }

  /// Sets the masks and the parameters, and enables the scan.
  mutating func scan(
    _ parameters: ScanParameters = .fullTime(.passive), filter: ScanFilterPolicy = .all,
    duplicates: Bool = false
  ) {
    unmask()
    #expect(send(.leSetScanParameters(parameters, filter: filter)) == 0)
    #expect(send(.leSetScanEnable(true, filtersDuplicates: duplicates)) == 0)
  }

  mutating func scanExtended(
    le1M: ScanParameters? = .fullTime(.passive), coded: ScanParameters? = nil,
    duplicates: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0
  ) {
    unmask()
    #expect(send(.leSetExtendedScanParameters(le1M: le1M, coded: coded)) == 0)
    #expect(
      send(.leSetExtendedScanEnable(true, duplicates: duplicates, duration: duration, period: period)) == 0)
  }

  mutating func unmask() {
    #expect(send(.setEventMask(.afterReset.union(.leMeta))) == 0)
    #expect(send(.leSetEventMask(LEEventMask(rawValue: 0x1_FFFF))) == 0)
  }
}

extension ScanParameters {
  /// A window of 60 ms in an interval of 60 ms.
  static func fullTime(_ kind: Kind) -> Self { Self(kind, interval: 0x60, window: 0x60) }
}

extension CommandPacket {
  var array: [UInt8] { bytes.indices.map { bytes[$0] } }
}

extension ScenePacket {
  /// The status in this answer to a command; nil when it is another packet.
  func status(of opcode: [UInt8]) -> UInt8? {
    if bytes.starts(with: [4, 0x0E]), Array(bytes[4...5]) == opcode { return bytes[6] }
    if bytes.starts(with: [4, 0x0F]), Array(bytes[5...6]) == opcode { return bytes[3] }
    return nil
  }
}

extension SceneDevice {
  static let bulb = SceneDevice(
    .staticRandom(1),
    payloads: PayloadScript(AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1])),
    scanResponse: AdvertisingPayload().name("Lumo"), intervalMilliseconds: 100,
    signal: SignalModel(.steady(-60)))

  static func extended(_ set: UInt8, primary: PHY = .le1M, byteCount: Int = 20) -> SceneDevice {
    var settings = AdvertisingSet(id: set)
    settings.primaryPHY = primary
    settings.secondaryPHY = primary
    var device = bulb
    device.address = .staticRandom(UInt64(set) + 16)
    device.advertising = .extended(settings)
    device.payloads = PayloadScript(AdvertisingPayload(raw: Array(repeating: 0x55, count: byteCount)))
    device.scanResponse = nil
    return device
  }
}
