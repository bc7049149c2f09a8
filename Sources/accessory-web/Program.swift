// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import Glibc
import Interfaces
import LinuxSystem

/// The program `accessory-web`.
@main
enum Program {
  static func main() {
    StandardStreams.openMissing()
    exit(run(CommandLine.arguments).rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    Signals.ignoreBrokenPipe()
    do throws(ProgramError) {
      switch try Options.read(arguments) {
      case .help: print(Options.help, terminator: "")
      case .version: print(ProjectVersion.text)
      case .serve(let options): try Server(options).run()
      }
      return .success
    } catch {
      BridgeLog().say(.error, error.sentence(of: "accessory-web"))
      return error.status
    }
  }
}
