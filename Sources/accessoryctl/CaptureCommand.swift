// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import LinuxSystem
import ToolText

struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Record what passes between the radio and the agent.",
    discussion: """
      Writes a btsnoop file, which decode, replay, Wireshark and tshark read. Ctrl-C ends \
      it; what was written is whole. Packets that could not be read fast enough are counted \
      in the file and at the end.

      Examples:
        accessoryctl capture room.btsnoop --seconds 60
        accessoryctl capture - --seconds 10 | accessoryctl decode -
      """)

  @Argument(help: "The file to write, or - for standard output.", completion: .file())
  var output: String

  @OptionGroup var gateway: GatewayOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after so many seconds.", valueName: "n"),
    transform: SecondsArgument.init(parsing:))
  var seconds: SecondsArgument?

  func run() throws {
    var recording = try Recording.begin(to: output, at: gateway.path)
    try recording.run(lasting: seconds?.instant)
  }
}
