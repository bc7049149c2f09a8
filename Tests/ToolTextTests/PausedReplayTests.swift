// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Manifest
import TestSupport
import Testing
import ToolText
import VirtualRadio

/// While a recorder does not scan, as phones do now and then, no silence counts.
@Suite struct PausedReplayTests {
  private static let report = ReportEncoder.event(
    .legacy,
    AirReport(
      .connectable, from: DeviceAddress(bits: 0xC0DE_0000_0001, type: .random), rssi: -60,
      AdvertisingPayload().flags(6).manufacturerData(0x0EEE, [1])))

  private static func switching(_ isOn: Bool, _ isExtended: Bool) -> [UInt8] {
    isExtended ? [1, 0x42, 0x20, 6, isOn ? 1 : 0, 0, 0, 0, 0, 0] : [1, 0x0C, 0x20, 2, isOn ? 1 : 0, 0]
  }

  /// The events, each with its second.
  private static func events(_ packets: [(second: Int64, packet: [UInt8])]) -> [String] {
    replayed(packets).events
  }

  /// The events, and how many changes wait at the end.
  private static func replayed(
    _ packets: [(second: Int64, packet: [UInt8])]
  ) -> (events: [String], waitingCount: UInt64) {
    var writer = CaptureWriter(start: Instant(microseconds: 1_790_000_000_000_000))
    for (second, packet) in packets {
      writer.append(packet, isReceived: packet[0] != 1, at: Instant(microseconds: second * 1_000_000))
    }
    var item = DisplayItem(id: "lamp", name: "Lamp")
    item.descriptor.companyIdentifier = 0x0EEE
    var app = App(name: "lights", account: .user("daemon"))
    app.items = [item]
    var manifest = GatewayManifest()
    manifest.apps = [app]
    var replay = CaptureReplay(ManifestDataPath(manifest))
    var stream = CaptureStream(holding: writer.bytes)
    stream.readPiece { _, _ in 0 }
    var events: [EventLine] = []
    stream.forEachRecord { record in
      replay.replay(record, into: &events)
      return true
    }
    replay.end()
    return (events.map { "\($0.event) \($0.time.microseconds / 1_000_000)" }, replay.waitingCount)
  }

  /// A device that is heard each second for 40 s, and the same after an hour.
  private static func heard(from start: Int64) -> [(second: Int64, packet: [UInt8])] {
    (0..<40).map { (start + $0, report) }
  }

  @Test("Changes that wait when the capture ends are counted", arguments: [1, 2, 3])
  func waiting(count: UInt8) {
    let changes = (1...count).map { number in
      ReportEncoder.event(
        .legacy,
        AirReport(
          .connectable, from: DeviceAddress(bits: 0xC0DE_0000_0001, type: .random), rssi: -60,
          AdvertisingPayload().flags(6).manufacturerData(0x0EEE, [1 + number])))
    }
    // The first change is sent at once, and those that come in the same second wait.
    let end = Self.replayed(Self.heard(from: 0) + changes.map { (40, $0) })
    #expect(end.events == ["found 0", "changed 40"])
    #expect(end.waitingCount == UInt64(count) - 1)
    let later = Self.replayed(
      Self.heard(from: 0) + changes.map { (40, $0) } + [(45, changes[changes.count - 1])])
    #expect(later.events.count == 1 + Int(count) && later.waitingCount == 0, "\(later)")
  }

  @Test("Between off and on no silence counts", arguments: [true, false])
  func pause(isExtended: Bool) {
    let packets =
      Self.heard(from: 0) + [
        (40, Self.switching(false, isExtended)), (3600, Self.switching(true, isExtended)),
      ]
      + Self.heard(from: 3602)
    #expect(Self.events(packets) == ["found 0"])
  }

  @Test(
    "What a connection sends in between changes nothing",
    arguments: [
      [4, 0x05, 4, 0, 0x01, 0x00, 0x13],  // Disconnection Complete
      [4, 0x0F, 4, 0, 1, 0x06, 0x04],  // Command Status of Disconnect
      [2, 0x40, 0x00, 7, 0, 3, 0, 4, 0, 0x0A, 0x01, 0x00],  // ACL data
      [4, 0x05, 9, 0],  // an event that is cut off
    ])
  func connection(packet: [UInt8]) {
    for second in [41 as Int64, 200, 3599] {
      let packets =
        Self.heard(from: 0)
        + [(40, Self.switching(false, true)), (second, packet), (3600, Self.switching(true, true))]
        + Self.heard(from: 3602)
      #expect(Self.events(packets) == ["found 0"])
    }
  }

  @Test("The silence goes on after the pause")
  func silence() {
    let packets =
      Self.heard(from: 0) + [(42, Self.switching(false, true)), (3600, Self.switching(true, true))]
      + [(3700, Self.switching(true, true))]
    // 3 s before the pause, then the rest of 10 s.
    #expect(Self.events(packets) == ["found 0", "lost 3610"])
  }

  @Test("Without a command, or with one that switches on what is on, silence counts")
  func noPause() {
    #expect(
      Self.events(Self.heard(from: 0) + Self.heard(from: 3602)) == ["found 0", "lost 52", "found 3602"])
    let on = [(40 as Int64, Self.switching(true, false))]
    #expect(
      Self.events(Self.heard(from: 0) + on + Self.heard(from: 3602)) == ["found 0", "lost 52", "found 3602"])
  }

  /// The controller's answer to such a command.
  private static func refusal(_ isExtended: Bool) -> [UInt8] {
    [4, 0x0E, 4, 1, isExtended ? 0x42 : 0x0C, 0x20, 0x0C]
  }

  @Test("A command that the controller refuses changes nothing", arguments: [true, false])
  func refused(isExtended: Bool) {
    let off = [(40 as Int64, Self.switching(false, isExtended)), (40, Self.refusal(isExtended))]
    #expect(
      Self.events(Self.heard(from: 0) + off + Self.heard(from: 3602)) == ["found 0", "lost 52", "found 3602"])
    let stillOff = [
      (40 as Int64, Self.switching(false, isExtended)), (50, Self.switching(true, isExtended)),
      (50, Self.refusal(isExtended)),
    ]
    #expect(Self.events(Self.heard(from: 0) + stillOff + Self.heard(from: 3602)) == ["found 0"])
  }

  @Test("A report ends a pause, and a reset begins one")
  func otherScans() {
    let reset = [(40 as Int64, [1, 0x03, 0x0C, 0] as [UInt8])]
    #expect(Self.events(Self.heard(from: 0) + reset + Self.heard(from: 3602)) == ["found 0"])
    #expect(
      Self.events(Self.heard(from: 0) + reset + Self.heard(from: 3602) + [(3700, Self.switching(true, true))])
        == ["found 0", "lost 3654"])
  }
}
