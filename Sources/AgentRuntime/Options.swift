// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Manifest
import ManifestFormat

/// What the agent's command line asks for.
struct Options: Equatable {
  static let defaultSocket = "/run/accessoryd/io.accessoryd"

  var manifest: String
  var socket = defaultSocket
  /// The folder of what the agent remembers; the service manager's or the usual one when it is not given.
  var state: String?
  /// In place of the manifest's `radio`, as it was given; its files count from the working directory.
  var radio: String?
  var logLevel = LogLevel.info

  /// What to do at all.
  enum Request: Equatable {
    case run(Options)
    case help
    case version
  }

  private enum Name: Int, CaseIterable {
    case manifest, socket, state, radio, logLevel, help, version

    var option: CommandLineOptions.Option {
      switch self {
      case .manifest: .init("manifest", takesValue: true)
      case .socket: .init("socket", takesValue: true)
      case .state: .init("state", takesValue: true)
      case .radio: .init("radio", takesValue: true)
      case .logLevel: .init("log-level", takesValue: true)
      case .help: .init("help", takesValue: false)
      case .version: .init("version", takesValue: false)
      }
    }
  }

  /// `words` begin with the program's name.
  static func read(_ words: [String]) throws(UsageProblem) -> Request {
    let line: CommandLineOptions
    do throws(CommandLineOptions.Problem) {
      line = try CommandLineOptions(words, Name.allCases.map(\.option))
    } catch {
      throw .line(error)
    }
    var manifest: String?
    var options = Options(manifest: "")
    for (option, value) in line.given {
      guard let name = Name(rawValue: option) else { preconditionFailure("an option of our own list") }
      switch name {
      case .help: return .help
      case .version: return .version
      case .manifest: manifest = value
      case .socket: options.socket = value ?? ""
      case .state: options.state = value
      case .radio:
        if let scene = value.flatMap(RadioSelection.simulatedScene) { throw .simulatedRadio(scene: scene) }
        guard let value, RadioSelection(text: value) != nil else { throw .radio(value ?? "") }
        options.radio = value
      case .logLevel:
        guard let level = LogLevel(word: value ?? "") else { throw .logLevel(value ?? "") }
        options.logLevel = level
      }
    }
    if let word = line.otherWord { throw .word(word) }
    guard let manifest, !manifest.isEmpty else { throw .noManifest }
    guard !options.socket.isEmpty else { throw .noSocket }
    guard options.state != "" else { throw .noState }
    options.manifest = manifest
    return .run(options)
  }

  static let help = """
    usage: accessoryd --manifest FILE [--socket PATH] [--state FOLDER] [--radio RADIO]
                      [--log-level LEVEL]

    Listens to Bluetooth advertising, matches it against a manifest, and tells local programs about their
    accessories over a UNIX socket.

      --manifest FILE     what to look for and for whom (accessoryctl check FILE says what is wrong with it)
      --socket PATH       where programs connect; \(defaultSocket) when it is not given
      --state FOLDER      where the registry of accessories is kept; when it is not given, the service manager's
                          $STATE_DIRECTORY or \(StateFolder.usual)
      --radio RADIO       replaces the manifest's radio: any, hci0, AA:BB:CC:DD:EE:FF, btsnoop:FILE,
                          btsnoop:FILE?pace=flat-out or h4:PATH (for instance the socket of
                          virtual-controller); relative paths start from the working directory here, and from
                          the manifest's folder in the manifest
      --log-level LEVEL   the least that is logged: error, warning, notice, info (the default) or debug
      --help, --version   say this, or the version

    SIGTERM ends it; SIGHUP makes it read the manifest again. Exit status: 0, or as in sysexits.h: 64 usage,
    65 a file's content, 66 no such file, 69 another agent runs, 71 the system refused, 73 no socket can be made,
    77 no permission.

    """
}

/// What is wrong with a command line.
enum UsageProblem: Error, Equatable {
  case line(CommandLineOptions.Problem)
  case word(String)
  case noManifest
  case noSocket
  case noState
  case radio(String)
  case simulatedRadio(scene: String)
  case logLevel(String)
}
