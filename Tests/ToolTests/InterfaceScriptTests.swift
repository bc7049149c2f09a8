// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The interfaces and their Swift values")
struct InterfaceScriptTests {
  private static let generator =
    URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    + "/interface-generator"

  private static func generate(_ text: String) throws -> Tool.Run {
    let folder = try TemporaryFolder()
    return try Tool.spawn(
      "/bin/sh", ["-c", #"exec "$0" <"$1""#, generator, try folder.file("interface", text)])
  }

  private static func interface(_ name: String) throws -> String {
    try String(contentsOfFile: Package.path("Config/io.accessoryd.\(name).varlink"), encoding: .utf8)
  }

  @Test("What is generated is what the interfaces say", arguments: ["Gateway", "Operator", "Session"])
  func equal(name: String) throws {
    let text = try Self.generate(Self.interface(name)).text
    let path = Package.path("Sources/Interfaces/Generated/\(name).swift")
    #expect(try text == String(contentsOfFile: path, encoding: .utf8), "run Scripts/steps/interfaces")
  }

  @Test("A new member becomes a property that is written and read")
  func member() throws {
    let text = try Self.interface("Gateway").replacingOccurrences(
      of: "  devices: int\n)", with: "  devices: int,\n  # Its room.\n  room: ?float\n)")
    let lines = try Self.generate(text).lines
    for line in [
      "  /// Its room.", "  public var room: Seconds?", #"    json.member("room", room)"#,
      #"    room = try line.secondsIfPresent("room")"#,
    ] {
      #expect(lines.contains(line[...]), "\(line)")
    }
  }

  @Test("A line in another form is refused")
  func form() throws {
    let run = try Self.generate("interface a.b\ntype T (\n  name string\n)\n")
    #expect(run.status != 0 && run.output.isEmpty)
  }
}
