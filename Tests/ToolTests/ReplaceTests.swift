// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import JSON
import Testing
import ToolText
import Varlink

@Suite("Replacing the device of an accessory")
struct ReplaceTests {
  private func agent(_ replies: [UInt8]...) throws -> StandInAgent {
    try StandInAgent(
      [.request(PickerSamples.setup(isOnBehalf: true))],
      ["Replace": [PickerSamples.opened] + replies, "List": PickerSamples.list("garden")])
  }

  @Test("A device that is named takes the place as soon as it is found")
  func named() throws {
    let agent = try agent(PickerSamples.setUp("Lumo bulb"), PickerSamples.empty)
    let words = ["replace", PickerSamples.accessory, "C4:A1:00:00:1E:09", "--yes", "--socket", agent.path]
    let run = try Tool.run(words)
    #expect(run.text == "Lumo bulb (lights): \(PickerSamples.accessory)\n", "\(run.errorOutput)")
    let call = try agent.call("Replace")
    #expect(call["accessory"] == .string(PickerSamples.accessory))
    #expect(call["device"] == .string("C4:A1:00:00:1E:09") && call["discoveryTimeout"] == nil)
    let json = try Tool.run(words + ["--json", "--timeout", "60"])
    #expect(json.status == 0)
    try expectValid(json.output, "picked")
  }

  @Test("Without --yes it asks, and without a terminal nothing is replaced")
  func asks() throws {
    let agent = try agent(PickerSamples.empty)
    let run = try Tool.run(
      ["replace", PickerSamples.accessory, "C4:A1:00:00:1E:09", "--socket", agent.path])
    #expect(run.status == 64 && run.errorOutput.contains("asks for confirmation"), "\(run.status)")
  }

  @Test("A replacement that fails says why, and is exit status 1")
  func fails() throws {
    let agent = try agent(PickerSamples.setupFailed)
    let run = try Tool.run(
      ["replace", PickerSamples.accessory, "C4:A1:00:00:1E:09", "--yes", "--socket", agent.path])
    #expect(run.status == 1 && run.errorOutput.contains("nothing that matches was found"))
  }

  @Test("Without a terminal the device has to be named")
  func terminal() throws {
    let agent = try agent()
    let run = try Tool.run(["replace", PickerSamples.accessory, "--yes", "--socket", agent.path])
    #expect(run.status == 64 && run.errorOutput.contains("name the device"))
    #expect(try Tool.run(["replace", "x", "--json", "--socket", agent.path]).status == 64)
    #expect(try Tool.run(["replace", "x", "y", "--timeout", "soon", "--socket", agent.path]).status == 64)
  }
}
