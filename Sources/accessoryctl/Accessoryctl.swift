// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import LinuxSystem

/// The command line.
@main
struct Accessoryctl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accessoryctl",
    abstract: "Look after the accessories of a gateway.",
    discussion: """
      Captures are btsnoop files: record one with "btmon -w room.btsnoop". A name of - reads standard input.

      Examples:
        accessoryctl check /etc/accessoryd/accessoryd.toml
        accessoryctl decode room.btsnoop
        accessoryctl replay room.btsnoop --manifest accessoryd.toml
        accessoryctl sightings --all --capture room.btsnoop
        accessoryctl decode --json room.btsnoop | jq -r .address | sort | uniq -c

      Exit status: 0 success; 1 the answer is no; 64 wrong command line; 65 wrong file \
      content; 66 a file that cannot be read; 74 output that cannot be written; 77 a file \
      that others may write. A reader that stops early (head) is no error.
      """,
    version: "accessoryctl 0.1.0",
    subcommands: [
      CheckCommand.self, DecodeCommand.self, ReplayCommand.self, SightingsCommand.self, ExplainCommand.self,
      TryCommand.self, SuggestCommand.self,
    ])

  static func main() {
    Signals.ignoreBrokenPipe()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      if let sentence = failure.sentence { StandardError.say(sentence) }
      exit(withError: ExitCode(failure.status.rawValue))
    } catch {
      exit(withError: error)
    }
  }
}
