// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import Testing
import Varlink
import VirtualRadio

/// calibrate before a stand-in for the agent, and before the agent in the story's scene.
@Suite("Calibrating an adapter")
struct CalibrateTests {
  private static let bulb = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
  private static let other = DeviceAddress(bits: 0xC4A1_0000_2F14, type: .random)

  private static let greeting = ScriptedAgent.Step.send(
    Message.reply(continues: true) { $0.member("time", 100) })

  /// A report with each level (127 means none), and a scan response after each.
  private static func reports(_ levels: [Int8], from address: DeviceAddress = bulb) -> ScriptedAgent.Step {
    .send(
      Message.reply(continues: true) { json in
        json.objects("packets", levels) { json, level in
          let event = ReportEncoder.event(
            .legacy, AirReport(.connectable, from: address, rssi: level, AdvertisingPayload()),
            AirReport(.scanResponse, from: address, rssi: -20, AdvertisingPayload()))
          json.member("time", 101)
          json.member("direction", "received")
          json.member("packet", Hex(event).text)
        }
      })
  }

  private func run(_ steps: [ScriptedAgent.Step], _ arguments: String...) throws -> Tool.Run {
    let agent = try ScriptedAgent([[Self.greeting] + steps + [.waitForEnd]])
    return try Tool.run(["calibrate"] + arguments + ["--socket", agent.path])
  }

  /// 40 readings around -62 dBm, quartiles 2 dB apart.
  private static let steady = reports(
    [-62, -63, -61, -62, -64, -60, -62, -63, -61, -62].flatMap { [$0, $0, $0, $0] })

  @Test("The offset brings the median to -59 dBm, and is ready for the profile")
  func offset() throws {
    let steps = [Self.reports([127, 127]), Self.steady]
    let run = try run(steps, "C4:A1:00:00:1E:27", "--samples", "40")
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(
      run.text == """
        # C4:A1:00:00:1E:27 at 1 m: median -62 dBm, quartiles 2 dB apart,
        # 40 readings, 2 without a level left out; it should read -59 dBm.
        rssi-offset = 3

        """)
    let json = try self.run(
      steps, "c4:a1:00:00:1e:27", "--samples", "40", "--power-at-1m", "-65", "--json")
    try expectValid(json.output, "calibrate")
    #expect(
      json.text
        == #"{"address":"C4:A1:00:00:1E:27","addressType":"random","samples":40,"samplesInvalid":2,"median":-62,"#
        + #""spread":2,"powerAt1m":-65,"rssiOffset":-3}"# + "\n")
  }

  @Test("On a terminal it shows how many readings came, their level, and the time left")
  func progress() throws {
    let agent = try ScriptedAgent([[Self.greeting, Self.reports([-62, -62, -63]), .waitForEnd]])
    let run = try Tool.shell(
      #"script -qec "'$TOOL' calibrate C4:A1:00:00:1E:27 --within 10 --socket '$1'" /dev/null"#, agent.path)
    #expect(run.text.contains("3 of 100 readings, -62 dBm, "), "\(run.text)")
    #expect(run.text.contains(" s left"))
    let piped = try self.run([Self.steady], "C4:A1:00:00:1E:27", "--samples", "40")
    #expect(!piped.errorOutput.contains(" left"), "only a terminal shows it")
  }

  @Test("Other devices are left out")
  func others() throws {
    let run = try run(
      [Self.reports(Array(repeating: -30, count: 40), from: Self.other), Self.steady],
      "C4:A1:00:00:1E:27", "--samples", "40")
    #expect(run.text.hasSuffix("rssi-offset = 3\n"), "\(run.text)\(run.errorOutput)")
  }

  @Test("Readings that differ too much give no offset")
  func wide() throws {
    let run = try run(
      [Self.reports([-50, -70, -55, -65].flatMap { Array(repeating: $0, count: 10) })], "C4:A1:00:00:1E:27",
      "--samples", "40")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errorOutput.contains("keep everything still"), "\(run.errorOutput)")
  }

  @Test("A device that cannot be at 1 m gives no offset")
  func far() throws {
    let run = try run(
      [Self.reports(Array(repeating: -100, count: 40))], "C4:A1:00:00:1E:27", "--samples", "40")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errorOutput.contains("would need an offset of 41 dB"), "\(run.errorOutput)")
  }

  @Test("Without a name the strongest is measured, and too few readings are reported")
  func strongest() throws {
    let steps = [Self.reports(Array(repeating: -80, count: 40), from: Self.other), Self.steady]
    let run = try run(steps, "--samples", "40", "--within", "10")
    #expect(run.status == 0 && run.text.contains("C4:A1:00:00:1E:27"), "\(run.errorOutput)")
    let few = try self.run([Self.steady, Self.reports([127])], "--samples", "50", "--within", "10")
    #expect(few.status == 1 && few.output.isEmpty)
    #expect(
      few.errorOutput.contains("only 40 of 50 readings and 1 without a level came within 10 s"),
      "\(few.errorOutput)")
  }

  @Test("The tool does not guess between two devices that are equally near")
  func ambiguous() throws {
    let steps = [Self.reports(Array(repeating: -60, count: 40), from: Self.other), Self.steady]
    let run = try run(steps, "--samples", "40")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errorOutput.contains("C4:A1:00:00:2F:14 (-60 dBm) and C4:A1:00:00:1E:27 (-62 dBm) are both near"))
    let silent = try self.run([], "--samples", "40")
    #expect(silent.status == 1 && silent.errorOutput.contains("no device was heard"))
  }

  @Test(
    "A value out of range is a wrong command line",
    arguments: [["--samples", "19"], ["--within", "3601"], ["--power-at-1m", "1"]])
  func usage(arguments: [String]) throws {
    #expect(try Tool.run(["calibrate"] + arguments).status == 64)
  }

  @Test("The bulb on the ceiling of the story's scene is measured through the agent")
  func agent() throws {
    let agent = try ScenarioAgent()
    let run = try agent.run("calibrate", "C4:A1:00:00:2F:14", "--samples", "40", "--json")
    #expect(run.status == 0, "\(run.errorOutput)")
    try expectValid(run.output, "calibrate")
    // It hangs at -68 dBm, sigma 1.5 dB.
    #expect((8...10).contains { run.text.contains(#""rssiOffset":\#($0)}"#) }, "\(run.text)")
  }
}
