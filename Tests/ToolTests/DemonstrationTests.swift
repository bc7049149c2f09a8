// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

/// The bundled capture with the example manifest: what a newcomer sees first.
@Suite struct DemonstrationTests {
  private let capture = Package.path("Config/demo-scene.btsnoop")
  private let manifest = Package.path("Config/accessoryd.toml")

  @Test func theSceneIsLively() throws {
    let run = try Tool.run("replay", capture, "--manifest", manifest, "--json")
    #expect(run.status == 0)
    try expectValid(run.output, "replay")
    for event in ["found", "changed", "lost"] { #expect(run.text.contains("\"event\":\"\(event)\"")) }
    for reason in ["matched", "entered", "left"] { #expect(run.text.contains("\"reason\":\"\(reason)\"")) }
  }

  @Test func everyReportIsDecoded() throws {
    let run = try Tool.run("decode", capture, "--json")
    #expect(run.status == 0)
    try expectValid(run.output, "decode")
    let text = try Tool.run("decode", capture, "--all")
    #expect(text.lines.allSatisfy { $0.unicodeScalars.count <= 80 })
    #expect(!text.output.contains(0x1B))
  }

  @Test func everyItemOfTheExampleIsTried() throws {
    var lines: [UInt8] = []
    for item in ["bulb", "strip", "thermometer", "lock", "tag", "camera", "ibeacon"] {
      lines += try Tool.run("try", item, "--capture", capture, "--manifest", manifest, "--json").output
    }
    try expectValid(lines, "try")
  }
}
