// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import LinuxSystem
import Manifest
import ManifestFormat

/// The program `accessoryd`: reads its configuration, opens its socket, and runs the loop until a signal ends it.
public enum AgentProgram {
  /// Runs the program and returns its exit status. `arguments` begin with the program's name.
  public static func run(_ arguments: [String]) -> Int32 {
    StandardStreams.openMissing()
    ResidentMemory.keepHeapSmall()
    Signals.ignoreBrokenPipe()
    let style: LogStyle = LogOutput.isJournal(Environment.value(of: "JOURNAL_STREAM")) ? .journal : .terminal
    var log = Log(style, .info)
    do throws(StartError) {
      return try run(arguments, style).rawValue
    } catch {
      for sentence in error.sentences { say(sentence, style, &log) }
      return error.status.rawValue
    }
  }

  /// On a terminal the program's name precedes the sentence.
  private static func say(_ sentence: String, _ style: LogStyle, _ log: inout Log) {
    if style == .journal { return log.say(.error, sentence) }
    _ = LogOutput.write(Array("accessoryd: \(sentence)\n".utf8))
  }

  private static func run(_ arguments: [String], _ style: LogStyle) throws(StartError) -> ExitCode {
    let request: Options.Request
    do throws(UsageError) { request = try Options.read(arguments) } catch { throw .usage(error) }
    switch request {
    case .help: print(Options.help, terminator: "")
    case .version: print("accessoryd \(ProjectVersion.text)")
    case .run(let options): try run(options, Log(style, options.logLevel))
    }
    return .success
  }

  private static func run(_ options: Options, _ log: Log) throws(StartError) {
    var log = log
    do throws(SystemError) { try ThisProcess.keepSecrets() } catch { throw .system(error) }
    let reader = ConfigurationReader(manifestPath: options.manifest, radio: options.radio)
    let read = try reader.read()
    for warning in read.warnings { log.say(.warning, warning) }
    // From here on a signal waits until the loop reads it, so that the socket's file does not stay.
    do throws(SystemError) { _ = try SignalDescriptor() } catch { throw .system(error) }
    let socket = try ServiceSocket(options.socket)
    let connections = Int(read.configuration.manifest.gateway.limits.connections)
    if let sentence = try DescriptorLimit.raise(connections: connections) { log.say(.warning, sentence) }
    do throws(SystemError) {
      let setup = AgentCore.Setup(
        read.configuration, radioSource: read.radioSource, epoch: randomBlock(), secret: randomBlock(),
        version: ProjectVersion.text)
      log.say(.info, "accessoryd \(ProjectVersion.text) serves \(quoted(options.socket))")
      let state = StateFolder(named: options.state, given: Environment.value(of: "STATE_DIRECTORY"))
      var loop = try AgentLoop(setup, Disk(reader, state), socket, log, in: .machine())
      try loop.run()
    } catch {
      throw .system(error)
    }
  }

  /// For what must differ in each run.
  static func randomBlock() -> Block128 {
    var system = SystemRandomNumberGenerator()
    return Block128(high: system.next(), low: system.next())
  }
}

/// The options of the agent's command line.
struct Options: Equatable {
  static let defaultSocket = "/run/accessoryd/io.accessoryd"

  var manifest: String
  var socket = defaultSocket
  /// The folder of the agent's state; nil for the service manager's or the usual one.
  var state: String?
  /// The radio that replaces the manifest's; its relative paths start from the working directory.
  var radio: String?
  var logLevel = LogLevel.info

  /// What the command line asks for.
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

  /// Reads a command line, which begins with the program's name.
  static func read(_ arguments: [String]) throws(UsageError) -> Request {
    let line: CommandLineOptions
    do throws(CommandLineOptions.ParseError) {
      line = try CommandLineOptions(arguments, Name.allCases.map(\.option))
    } catch {
      throw .line(error)
    }
    var manifest: String?
    var options = Options(manifest: "")
    for (option, value) in line.given {
      guard let name = Name(rawValue: option) else {
        preconditionFailure("an option that is not in the list")
      }
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
        guard let level = LogLevel(rawValue: value ?? "") else { throw .logLevel(value ?? "") }
        options.logLevel = level
      }
    }
    if let argument = line.otherArgument { throw .unexpectedArgument(argument) }
    guard let manifest, !manifest.isEmpty else { throw .noManifest }
    guard !options.socket.isEmpty else { throw .noSocket }
    guard options.state != "" else { throw .noState }
    options.manifest = manifest
    return .run(options)
  }

  static let help = """
    usage: accessoryd --manifest FILE [--socket PATH] [--state FOLDER] [--radio RADIO]
                      [--log-level LEVEL]

    Listens to Bluetooth advertising, matches it against a manifest, and tells each local program about its own
    accessories, over a UNIX socket.

      --manifest FILE     the apps and their accessories (accessoryctl check FILE lists its errors)
      --socket PATH       where programs connect; by default \(defaultSocket)
      --state FOLDER      where the registry of accessories is stored; by default the service manager's
                          $STATE_DIRECTORY, or else \(StateFolder.usual)
      --radio RADIO       replaces the manifest's radio: any, hci0, AA:BB:CC:DD:EE:FF, btsnoop:FILE,
                          btsnoop:FILE?pace=flat-out or h4:PATH (for instance the socket of
                          virtual-controller); relative paths start from the working directory here, and from
                          the manifest's folder in the manifest
      --log-level LEVEL   the least urgent level to log: error, warning, notice, info (the default) or debug
      --help, --version   print this text, or the version

    SIGTERM ends the agent; SIGHUP makes it read the manifest again. Exit status: 0, or as in sysexits.h: 64 usage,
    65 an invalid file, 66 no such file, 69 another agent runs, 71 the system refused a call, 73 the socket cannot
    be created, 77 no permission.

    """
}

/// Why a command line is invalid.
struct UsageError: Error, Equatable {
  let sentence: String

  private init(_ sentence: String) { self.sentence = sentence }

  static func line(_ error: CommandLineOptions.ParseError) -> Self {
    switch error {
    case .unknown(let option): Self("there is no option \(quoted(option))")
    case .withoutValue(let option): Self("the option \(quoted(option)) needs a value")
    }
  }
  static func unexpectedArgument(_ argument: String) -> Self {
    Self("the argument \(quoted(argument)) belongs to no option")
  }
  static let noManifest = Self("a manifest is needed: --manifest FILE")
  static let noSocket = Self("the socket needs a path: --socket PATH")
  static let noState = Self("the state needs a folder: --state FOLDER")
  static func radio(_ text: String) -> Self {
    Self("--radio: \(quoted(text)) is not a radio; write any, hci0, an address, btsnoop:FILE or h4:PATH")
  }
  static func simulatedRadio(scene: String) -> Self {
    Self("--radio: \(FormatDiagnostic.simulatedRadio(scene: scene).sentence)")
  }
  static func logLevel(_ text: String) -> Self {
    Self("--log-level: \(quoted(text)) is not a level; write error, warning, notice, info or debug")
  }
}
