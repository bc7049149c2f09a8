// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest

/// The program `accessoryd`: reads what it needs, takes its place at the socket, and turns until it is ended.
public enum AgentProgram {
  /// `words` begin with the program's name. Answers the exit status.
  public static func run(_ words: [String]) -> Int32 {
    ResidentMemory.keepHeapSmall()
    Signals.ignoreBrokenPipe()
    let style: LogStyle = LogOutput.isJournal(Environment.value(of: "JOURNAL_STREAM")) ? .journal : .terminal
    var log = Log(style, .info)
    do throws(StartFailure) {
      return try run(words, style).rawValue
    } catch {
      for sentence in error.sentences { say(sentence, style, &log) }
      return error.status.rawValue
    }
  }

  /// People who start the agent by hand get the sentence behind the program's name.
  private static func say(_ sentence: String, _ style: LogStyle, _ log: inout Log) {
    if style == .journal { return log.say(.error, sentence) }
    _ = LogOutput.write(Array("accessoryd: \(sentence)\n".utf8))
  }

  private static func run(_ words: [String], _ style: LogStyle) throws(StartFailure) -> ExitCode {
    let request: Options.Request
    do throws(UsageProblem) { request = try Options.read(words) } catch { throw .usage(error) }
    switch request {
    case .help: print(Options.help, terminator: "")
    case .version: print("accessoryd \(AgentVersion.text)")
    case .run(let options): try run(options, Log(style, options.logLevel))
    }
    return .success
  }

  private static func run(_ options: Options, _ log: Log) throws(StartFailure) {
    var log = log
    let reader = ConfigurationReader(manifestPath: options.manifest, radio: options.radio)
    let read = try reader.read()
    for warning in read.warnings { log.say(.warning, warning) }
    let socket = try ServiceSocket(options.socket)
    let connections = Int(read.configuration.manifest.gateway.limits.connections)
    if let sentence = DescriptorLimit.raise(connections: connections) { log.say(.warning, sentence) }
    do throws(SystemError) {
      let setup = AgentCore.Setup(
        read.configuration, radioSource: read.radioSource, epoch: randomBlock(), secret: randomBlock(),
        version: AgentVersion.text)
      log.say(.info, "accessoryd \(AgentVersion.text) serves \(quoted(options.socket))")
      let state = StateFolder(named: options.state, given: Environment.value(of: "STATE_DIRECTORY"))
      var loop = try AgentLoop(setup, Disk(reader, state), socket, log, in: .machine())
      try loop.run()
    } catch {
      throw .system(error)
    }
  }

  private static func randomBlock() -> Block128 {
    var system = SystemRandomNumberGenerator()
    return Block128(high: system.next(), low: system.next())
  }
}

/// The version of the agent and its tool.
public enum AgentVersion {
  public static let text = "0.1.0"
}
