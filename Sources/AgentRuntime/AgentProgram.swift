// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import LinuxSystem
import Manifest

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
