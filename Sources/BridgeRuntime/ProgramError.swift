// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem

/// Why a bridge's program ends early.
public enum ProgramError: Error {
  case usage(String)
  case failure(ExitCode, String)

  public static func refused(_ error: SystemError) -> Self {
    .failure(.systemError, "the system refused a call: \(error.reason)")
  }

  public init(_ error: CommandLineOptions.ParseError) {
    self =
      switch error {
      case .unknown(let option): .usage("there is no option \(option)")
      case .withoutValue(let option): .usage("the option \(option) needs a value")
      }
  }

  public var status: ExitCode {
    switch self {
    case .usage: .usage
    case .failure(let status, _): status
    }
  }

  public func sentence(of program: String) -> String {
    switch self {
    case .usage(let sentence): "\(sentence); see \(program) --help"
    case .failure(_, let sentence): sentence
    }
  }
}
