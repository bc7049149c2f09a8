// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import ManifestEdits
import ManifestFormat
import ToolSystem

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
        sudo accessoryctl setup
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
    version: "accessoryctl " + ProjectVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Accessories",
        subcommands: [
          PickCommand.self, AnswerCommand.self, ListCommand.self, RenameCommand.self, PairCommand.self,
          ReplaceCommand.self,
          RemoveCommand.self, AllowCommand.self, AuthorizeCommand.self, MigrateCommand.self,
          DisconnectCommand.self, RegistryCommand.self,
        ]),
      CommandGroup(
        name: "Devices",
        subcommands: [SightingsCommand.self, WatchCommand.self, ExplainCommand.self, TryCommand.self]),
      CommandGroup(
        name: "Manifest and board",
        subcommands: [
          SetupCommand.self,
          CheckCommand.self, SuggestCommand.self, ReloadCommand.self, CalibrateCommand.self,
        ]),
      CommandGroup(
        name: "Agent",
        subcommands: [StatusCommand.self, MetricsCommand.self, ReportCommand.self, WebCommand.self]),
      CommandGroup(
        name: "Captures", subcommands: [CaptureCommand.self, DecodeCommand.self, ReplayCommand.self]),
    ])

  /// What other programs call a command.
  private static let otherNames = ["ls": "list", "rm": "remove", "mv": "rename", "version": "--version"]

  /// Words that other programs have for a command.
  private static let otherWords = [
    "add": "pick", "find": "sightings", "scan": "sightings", "devices": "sightings", "forget": "remove",
    "delete": "remove", "unpair": "remove", "show": "explain", "log": "watch",
  ]

  /// Throws unless the words that name commands do, with or without `help` before them.
  private static func requireCommands(_ arguments: ArraySlice<String>) throws(ToolError) {
    var words = arguments.first == "help" ? arguments.dropFirst() : arguments
    var parents = ["accessoryctl"]
    var commands = Self.configuration.subcommands
    while !commands.isEmpty, let word = words.popFirst(), !word.hasPrefix("-") {
      let known = commands.map { $0.configuration.commandName ?? "" }
      guard let place = known.firstIndex(of: word) else {
        // ArgumentParser adds this one.
        if word == "help" { return }
        let near = parents.count > 1 ? nil : otherWords[word]
        let likely =
          (near ?? KeywordSuggestion.nearNames(to: word, among: known).first)
          .map { "did you mean \($0)? " } ?? ""
        let call = parents.joined(separator: " ")
        throw .sentence(
          "there is no command \(quoted(word)); \(likely)\(call) --help lists the commands", .usage)
      }
      parents.append(word)
      commands = commands[place].configuration.subcommands
    }
  }

  static func main() {
    StandardStreams.openMissing()
    Signals.ignoreBrokenPipe()
    do {
      var arguments = Array(CommandLine.arguments.dropFirst())
      let place = arguments.first == "help" ? 1 : 0
      if arguments.indices.contains(place), let name = otherNames[arguments[place]] {
        arguments[place] = name
      }
      try requireCommands(arguments[...])
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch let failure as ToolError {
      if let sentence = failure.sentence { StandardError.say(sentence) }
      if case .interrupted(let signal) = failure { Signals.end(by: signal) }
      exit(withError: ExitCode(failure.status.rawValue))
    } catch  where exitCode(for: error) == .validationFailure {
      StandardError.write(fullMessage(for: error) + "\n")
      exit(withError: ExitCode.validationFailure)
    } catch {
      exit(withError: error)
    }
  }
}
