// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import LinuxSystem

/// The command line of `accessory-mqtt`.
struct Options {
  enum Command: String {
    case run, check
  }

  private enum Name: Int, CaseIterable {
    case config, socket, state, help, version

    var option: CommandLineOptions.Option {
      switch self {
      case .config: .init("config", takesValue: true)
      case .socket: .init("socket", takesValue: true)
      case .state: .init("state", takesValue: true)
      case .help: .init("help", takesValue: false)
      case .version: .init("version", takesValue: false)
      }
    }
  }

  enum Request {
    case perform(Options)
    case help, version
  }

  private(set) var command = Command.run
  private(set) var config = "/etc/accessoryd/mqtt.toml"
  private(set) var socket = "/run/accessoryd/io.accessoryd"
  /// The folder with the position in the events.
  private(set) var state = Environment.value(of: "STATE_DIRECTORY") ?? "/var/lib/accessory-mqtt"
  /// The folder with the password; nil without one.
  let credentials = Environment.value(of: "CREDENTIALS_DIRECTORY")

  /// `arguments` begin with the program's name.
  static func read(_ arguments: [String]) throws(ProgramError) -> Request {
    let line: CommandLineOptions
    do throws(CommandLineOptions.ParseError) {
      line = try CommandLineOptions(arguments, Name.allCases.map(\.option))
    } catch { throw ProgramError(error) }
    var options = Options()
    for (option, value) in line.given {
      let value = value ?? ""
      switch Name(rawValue: option) {
      case .config: options.config = value
      case .socket: options.socket = value
      case .state: options.state = value
      case .version: return .version
      case .help, nil: return .help
      }
    }
    if let word = line.otherArgument {
      guard let command = Command(rawValue: word) else {
        throw .usage("there is no command \(word); there are run and check")
      }
      options.command = command
    }
    return .perform(options)
  }

  static let help = """
    usage: accessory-mqtt [run | check] [--config FILE] [--socket PATH] [--state FOLDER]

    Publishes the accessories of this gateway, their values and their events to a broker of MQTT, each event exactly once
    for readers that remove doubles by gateway, epoch and sequence. The manifest of accessoryd says in [bridge.NAME] what
    it may see and do. The command run serves the broker; it is what the service does. The command check reads the
    configuration, and says what is wrong with it.

      --config FILE   the configuration; /etc/accessoryd/mqtt.toml
      --socket PATH   the agent's socket
      --state FOLDER  where the position in the events is
      --version       print the version
      --help          print this text

    SIGHUP reads the configuration again. SIGTERM or Ctrl-C ends it. Exit status: 0, or as in sysexits.h: 64 usage, 65 a
    configuration with errors, 66 no configuration, 71 the system refused a call, 77 the configuration may not be read.

    """
}
