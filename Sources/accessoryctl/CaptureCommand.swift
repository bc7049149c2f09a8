// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import LinuxSystem
import ToolText

struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Record the packets between the radio and the agent.",
    discussion: """
      Writes a btsnoop file for decode, replay, Wireshark and tshark. Ctrl-C ends the \
      recording; the file is then complete. The file and the last line count the packets \
      that could not be read fast enough.

      Examples:
        accessoryctl capture room.btsnoop --seconds 60
        accessoryctl capture - --seconds 10 | accessoryctl decode -
      """)

  @Argument(help: "The file to write, or - for standard output.", completion: .file())
  var output: String

  @Flag(help: "Overwrite an existing file.")
  var force = false

  @OptionGroup var gateway: GatewayOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after this many seconds.", valueName: "n"),
    transform: SecondsArgument.init(parsing:))
  var seconds: SecondsArgument?

  func run() throws {
    var recording = try Recording.create(output, replacing: force, from: gateway.path)
    try recording.run(lasting: seconds?.instant)
  }
}
