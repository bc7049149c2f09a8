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
      Asks the agent of this machine, or reads captures: btsnoop files, recorded with capture or with \
      "btmon -w room.btsnoop". The file name - means standard input or output.

      Examples:
        accessoryctl status
        accessoryctl watch
        accessoryctl pick
        accessoryctl list
        accessoryctl explain AA:BB:CC:DD:EE:FF
        accessoryctl check /etc/accessoryd/accessoryd.toml
        accessoryctl decode room.btsnoop
        accessoryctl replay room.btsnoop --manifest accessoryd.toml
        accessoryctl sightings --all --capture room.btsnoop
        accessoryctl decode --json room.btsnoop | jq -r .address | sort | uniq -c

      Exit status: 0 success; 1 the answer is no; 64 wrong command line; 65 wrong file \
      content; 66 a file cannot be read; 69 no agent; 73 or 74 output, or the registry, cannot be \
      written; 75 the agent is busy; 76 another program is in its place; 77 other accounts may \
      write the file, or you may not ask the agent. A reader that stops early (head) is no error.
      """,
    version: "accessoryctl 0.1.0",
    subcommands: [
      StatusCommand.self, SightingsCommand.self, WatchCommand.self, ExplainCommand.self, TryCommand.self,
      PickCommand.self, CheckCommand.self, SuggestCommand.self, ReloadCommand.self, ListCommand.self,
      RenameCommand.self,
      RemoveCommand.self, AllowCommand.self, AuthorizeCommand.self, RegistryCommand.self, MetricsCommand.self,
      CalibrateCommand.self, CaptureCommand.self, DecodeCommand.self, ReplayCommand.self,
    ])

  static func main() {
    Signals.ignoreBrokenPipe()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as ToolError {
      if let sentence = failure.sentence { StandardError.say(sentence) }
      if case .interrupted(let signal) = failure { Signals.end(by: signal) }
      exit(withError: ExitCode(failure.status.rawValue))
    } catch {
      exit(withError: error)
    }
  }
}
