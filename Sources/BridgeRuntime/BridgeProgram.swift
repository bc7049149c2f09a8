// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
public import LinuxSystem
import ToolSystem

/// The command line of a bridge's program.
public protocol BridgeOptions {
  associatedtype Name

  /// The options beside `--help` and `--version`.
  static var options: [(name: Name, option: CommandLineOptions.Option)] { get }
  static var help: String { get }

  init()
  /// `value` is empty for an option without one.
  mutating func set(_ name: Name, _ value: String) throws(ProgramError)
  /// Comes after all options, with the word that is none.
  mutating func finish(_ word: String?) throws(ProgramError)
}

/// What the programs of bridges do alike.
public enum BridgeProgram {
  private static let common: [CommandLineOptions.Option] = [
    .init("help", takesValue: false), .init("version", takesValue: false),
  ]

  /// Does the work of a program as its command line says. What goes wrong is logged.
  public static func run<Options: BridgeOptions>(
    _ program: String, _ perform: (Options) throws(ProgramError) -> Void
  ) -> ExitCode {
    StandardStreams.openMissing()
    Signals.ignoreBrokenPipe()
    do throws(ProgramError) {
      if let options: Options = try read(CommandLine.arguments) { try perform(options) }
      return .success
    } catch {
      BridgeLog().say(.error, error.sentence(of: program))
      return error.status
    }
  }

  /// `arguments` begin with the program's name. Returns nil after printing what was asked for.
  private static func read<Options: BridgeOptions>(_ arguments: [String]) throws(ProgramError) -> Options? {
    let line: CommandLineOptions
    do throws(CommandLineOptions.ParseError) {
      line = try CommandLineOptions(arguments, common + Options.options.map(\.option))
    } catch { throw ProgramError(error) }
    var options = Options()
    for (option, value) in line.given {
      guard option >= common.count else {
        print(option == 0 ? Options.help : "\(ProjectVersion.text)\n", terminator: "")
        return nil
      }
      try options.set(Options.options[option - common.count].name, value ?? "")
    }
    if line.otherArguments.count > 1 {
      throw .usage("there is one word too many: \(line.otherArguments[1])")
    }
    try options.finish(line.otherArgument)
    return options
  }
}
