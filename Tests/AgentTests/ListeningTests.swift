// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
import Controller
import Discovery
import HCI
import JSON
import Manifest
import Setup
import Testing
import VirtualRadio

@Suite("How much of the time the radio listens")
struct ListeningTests {
  /// A board that listens a tenth of the time, with an adapter on a serial port.
  private static var board: BoardProfile {
    var board = BoardProfile(name: "board")
    board.transport = .uart
    board.rssiOffset = 3
    return board
  }

  /// The profile of adapters on USB, which listens all the time.
  private static var usb: BoardProfile {
    var usb = BoardProfile(name: BoardProfile.usbName)
    usb.transport = .usb
    usb.low = usb.fast
    return usb
  }

  /// An app with an item whose devices send only on an event.
  private static let manifest = GatewayManifest.lights.with {
    $0.gateway.radio = .index(3)
    $0.apps[0].items[0].gate.lostMilliseconds = 3_600_000
    $0.apps[0].items[0].gate.lostMillisecondsMax = 86_400_000
  }

  private func gateway(_ board: BoardProfile, isUSB: Bool) -> AgentHarness {
    let harness = AgentHarness(Self.manifest, access: .twoApps, board: board, usb: Self.usb)
    harness.kernel = StandInKernel()
    harness.radioComes(as: .sharedAdapter(index: 3), isUSB: isUSB)
    return harness
  }

  /// `BOARD instead of NAMED, 10 % and 100 %, misses ITEMS`, as status says it, and the kernel's window in 128 slots.
  private func listening(_ harness: AgentHarness) throws -> String {
    let client = try #require(harness.connect())
    let status = try #require(harness.call("Status", by: client).first)
    harness.hangUp(client)
    let line = try #require(status.object("listening"))
    var missing: [String] = []
    if case .array(let items)? = line["missing"] {
      missing = items.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    let share = harness.kernel.map { 128 * Int($0.duty.window) / Int($0.duty.interval) } ?? 0
    let board = line.text("board") ?? ""
    return "\(line.text("replacedBoard").map { "\(board) instead of \($0)" } ?? board), "
      + "\(line.integer("percent") ?? 0) % and \(line.integer("requestPercent") ?? 0) %, misses \(missing), \(share)"
  }

  @Test("Status says by which profile, how much of the time, and what is missed")
  func tenth() throws {
    let harness = gateway(Self.board, isUSB: false)
    #expect(try listening(harness) == #"board, 10 % and 100 %, misses ["lights/bulb"], 12"#)
  }

  @Test("An adapter on USB has the profile of USB adapters, and the board's counts again without it")
  func usb() throws {
    let harness = gateway(Self.board, isUSB: true)
    #expect(try listening(harness) == "usb-dongle instead of board, 100 % and 100 %, misses [], 128")
    #expect(harness.notices.contains(.boardFollowsAdapter(board: "usb-dongle")))
    harness.reading = .accepted(
      AgentCore.Configuration(Self.manifest, board: Self.board, usb: Self.usb, access: .twoApps),
      radioSource: "hci3", warnings: [])
    harness.readManifestAgain()
    #expect(try listening(harness) == "usb-dongle instead of board, 100 % and 100 %, misses [], 128")
    harness.kernel = StandInKernel()
    harness.radioComes(as: .sharedAdapter(index: 3))
    #expect(try listening(harness) == #"board, 10 % and 100 %, misses ["lights/bulb"], 12"#)
  }

  @Test("A profile that fits an adapter on USB stays, and generic fits none in particular")
  func fitting() throws {
    var own = Self.board
    for transport in [BoardProfile.Transport.usb, .any] {
      own.transport = transport
      #expect(
        try listening(gateway(own, isUSB: true)) == #"board, 10 % and 100 %, misses ["lights/bulb"], 12"#)
    }
    #expect(
      try listening(gateway(BoardProfile(name: "generic"), isUSB: true))
        == "usb-dongle instead of generic, 100 % and 100 %, misses [], 128")
  }

  @Test("An open picker stays open when an adapter with another profile comes")
  func picker() {
    let harness = AgentHarness(
      Self.manifest, scene: [.bulb(1)], access: .twoApps, board: Self.board, usb: Self.usb)
    let scenario = SetupScenario(harness)
    scenario.app().call("ShowPicker")
    harness.kernel = StandInKernel()
    harness.radioComes(as: .sharedAdapter(index: 3), isUSB: true)
    scenario.run(seconds: 1)
    #expect(harness.setupCore.hasOpenPicker)
  }
}
