// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite("Bringing a controller up")
struct ControllerInitializerTests {
  static let preparation: [UInt16] = [0x0C03, 0x1002, 0x1001, 0x1009, 0x2003, 0x0C01, 0x2001]

  @Test("Extended scanning where features and commands have it")
  func extended() {
    var harness = InitializerHarness()
    harness.start(wait: 5000)
    #expect(harness.opcodes == Self.preparation + [0x2041, 0x2042])
    #expect(harness.states.last == .scanning(isActive: false))
    #expect(harness.initializer.profile.scansExtended && harness.initializer.profile.scansCoded)
    #expect(
      !harness.reports.isEmpty && harness.reports.allSatisfy { $0.header.properties.contains(.extendedEvent) }
    )
  }

  @Test("Legacy scanning on a chip that calls itself 5.0 and lacks extended advertising")
  func legacy() {
    var harness = InitializerHarness(.pi)
    harness.start(wait: 5000)
    #expect(harness.opcodes == Self.preparation + [0x200B, 0x200C])
    #expect(
      harness.initializer.profile.version?.hciVersion == 9 && !harness.initializer.profile.scansExtended)
    #expect(
      !harness.reports.isEmpty && !harness.reports.contains { $0.header.properties.contains(.extendedEvent) })
  }

  @Test("A feature without its commands, and commands without the feature, are legacy")
  func halves() {
    var profile = ControllerProfile()
    profile.knowsExtendedScan = true
    #expect(!profile.scansExtended)
    profile.features = .extendedAdvertising
    #expect(profile.scansExtended)
    profile.knowsExtendedScan = false
    #expect(!profile.scansExtended)
  }

  @Test(
    "A controller without an address gets one before it asks, made from the seed",
    arguments: [0, 1 << 48 - 1])
  func ownAddress(missing: UInt64) throws {
    var addresses: Set<[UInt8]> = []
    for isExtended in [true, false] {
      for seed in [Block128(high: 0, low: 0), Block128(high: 1, low: 2)] {
        var script = isExtended ? ControllerScript() : .pi
        script.address = missing
        var harness = InitializerHarness(script)
        harness.initializer = ControllerInitializer(addressSeed: seed)
        harness.start(.with(.active, 60, 60), wait: 3000)
        #expect(harness.opcodes.dropFirst(Self.preparation.count).first == 0x2005)
        #expect(harness.initializer.state == .scanning(isActive: true))
        #expect(harness.reports.contains { $0.header.pdu == .scanResponse })
        let sent = try #require(harness.packets.first { $0.opcode == .leSetRandomAddress }).array.suffix(6)
        #expect(sent.last.map { $0 >> 6 } == 0b11)
        addresses.insert(Array(sent))
      }
    }
    #expect(addresses.count == 2)
  }

  @Test("Every state is reported once, in order")
  func states() {
    var harness = InitializerHarness()
    harness.start(wait: 1000)
    #expect(
      harness.states
        == ControllerInitializerStep.allCases.filter { $0 != .ownAddress }.map { .preparing($0) } + [
          .configuring, .enabling, .scanning(isActive: false),
        ])
  }

  @Test("Duplicates are not filtered")
  func duplicates() {
    for script in [ControllerScript(), .pi] {
      var harness = InitializerHarness(script)
      harness.start(.with(.passive, 60, 60), wait: 5000)
      #expect(harness.packets.last?.array[5] == 0)
      #expect(harness.reports.count > 40)
    }
  }

  @Test("Without a plan it comes up and rests")
  func noPlan() {
    var harness = InitializerHarness()
    harness.start(nil, wait: 5000)
    #expect(
      harness.opcodes == Self.preparation && harness.states.last == .ready
        && harness.initializer.deadline == nil)
  }

  @Test("A command waits while the controller accepts none")
  func flowControl() throws {
    var initializer = ControllerInitializer()
    let start = initializer.start(ScanPlan(), now: Instant(microseconds: 0))
    #expect(start.command == .reset)
    let held = try event(hex("0E 04 00 030C 00"), to: &initializer)
    #expect(held.command == nil && held.state == .preparing(.commands))
    let released = try event(hex("0E 03 01 0000"), to: &initializer)
    #expect(released.command == .readSupportedCommands && released.state == nil)
  }

  @Test("Answers to others, reports and cut events change nothing")
  func otherEvents() throws {
    var initializer = ControllerInitializer()
    _ = initializer.start(ScanPlan(), now: Instant(microseconds: 0))
    for bytes in ["0E 04 01 0C20 00", "0F 04 00 01 030C", "3E 02 02 00", "0E 02 01 03", "10 00"] {
      #expect(try event(hex(bytes), to: &initializer) == ControllerInitializer.Output(), "\(bytes)")
    }
    #expect(try event(hex("0E 04 01 030C 00"), to: &initializer).command == .readSupportedCommands)
  }

  @Test("An answer that returns too little is an error")
  func cut() throws {
    var initializer = ControllerInitializer()
    _ = initializer.start(ScanPlan(), now: Instant(microseconds: 0))
    _ = try event(hex("0E 04 01 030C 00"), to: &initializer)
    #expect(
      try event(hex("0E 06 01 0210 00 FF FF"), to: &initializer).state
        == .failed(.replyTruncated(.readSupportedCommands)))
    _ = initializer.start(ScanPlan(), now: Instant(microseconds: 0))
    #expect(try event(hex("0E 03 01 030C"), to: &initializer).state == .failed(.replyTruncated(.reset)))
  }

  @Test("A controller that knows no scan command cannot scan")
  func cannotScan() throws {
    var initializer = ControllerInitializer()
    _ = initializer.start(ScanPlan(), now: Instant(microseconds: 0))
    // The command Inquiry, encryption, and an address of 1: nothing that scans.
    let least: [UInt8] = [1] + Array(repeating: 0, count: 63)
    for (opcode, values) in [
      ("030C", 0), ("0210", 64), ("0110", 8), ("0910", 6), ("0320", 8), ("010C", 0), ("0120", 0),
    ] {
      _ = try event([0x0E, UInt8(4 + values), 1] + hex(opcode) + [0] + least[..<values], to: &initializer)
    }
    #expect(initializer.state == .failed(.cannotScan))
  }

  @Test("Stopped it expects nothing")
  func stop() throws {
    var initializer = ControllerInitializer()
    _ = initializer.start(ScanPlan(), now: Instant(microseconds: 0))
    #expect(initializer.stop() == ControllerInitializer.Output(command: nil, state: .off))
    #expect(initializer.deadline == nil)
    #expect(try event(hex("0E 04 01 030C 00"), to: &initializer) == ControllerInitializer.Output())
  }

  private func event(_ bytes: [UInt8], to initializer: inout ControllerInitializer) throws
    -> ControllerInitializer.Output
  {
    try initializer.received(Event(parsing: bytes.rawSpan), now: Instant(microseconds: 1000))
  }
}
