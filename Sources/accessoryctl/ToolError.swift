// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import LinuxSystem
import ToolText

/// Why the tool stops.
enum ToolError: Error {
  case file(path: String, FileError)
  case capture(path: String, BtsnoopError)
  case output(SystemError)
  case clock(SystemError)
  case system(SystemError)
  /// Everything is cleaned up, and the signal now ends the program.
  case interrupted(SignalDescriptor.Signal)
  /// The reason is on standard error already.
  case reported(ExitStatus)
  /// The sentence says what happened, where, and what to do next.
  case sentence(String, ExitStatus)

  var status: ExitStatus {
    switch self {
    case .file(_, .tooLarge): .dataError
    case .file: .noInput
    case .capture: .dataError
    // The reader has stopped reading, which is no error.
    case .output(let error): error.isBrokenPipe ? .success : .ioError
    case .clock, .system: .systemError
    // The signal itself sets the status.
    case .interrupted: .no
    case .reported(let status), .sentence(_, let status): status
    }
  }

  /// The sentence for standard error; nil for none.
  var sentence: String? {
    switch self {
    case .file(let path, let error): "cannot read \(quoted(path)): \(error.sentence)"
    case .capture(let path, let error): "\(quoted(path)): \(error.sentence)"
    case .output(let error):
      error.isBrokenPipe ? nil : "cannot write the output: \(error.reason); what came before is incomplete"
    case .clock(let error): "cannot read the clock: \(error.reason)"
    case .system(let error): "\(error.reason) (\(error.call.rawValue))"
    case .interrupted, .reported: nil
    case .sentence(let sentence, _): sentence
    }
  }
}

extension ToolError {
  /// Warns of a capture that is cut off, where that leaves a result; otherwise throws the error.
  func warn(hasResult: Bool) throws(ToolError) {
    guard case .capture = self, hasResult, let sentence else { throw self }
    StandardError.say("warning: \(sentence)")
  }
}

/// A path in quotes, safe on a terminal.
func quoted(_ path: String) -> String { AirText(Array(path.utf8)).terminal(columnsMax: 200) }

/// A path without quotes, safe on a terminal.
func shown(_ path: String) -> String { AirText(Array(path.utf8)).escaped(columnsMax: 200) }

extension FileError {
  var sentence: String {
    switch self {
    case .system(let error):
      if error.isMissing {
        "there is no such file; check the name, or the directory you are in"
      } else if error.isPermission {
        "you may not read it; try another account, or change the file's mode"
      } else {
        "\(error.reason) (\(error.call.rawValue))"
      }
    case .isDirectory: "it is a directory; name a file in it"
    case .isNotOrdinary: "it is no ordinary file"
    case .tooLarge(let byteCountMax):
      "it is larger than the \(byteCountMax >> 20) MiB that this tool reads; is it the right one?"
    }
  }
}

extension BtsnoopError {
  fileprivate var sentence: String {
    switch self {
    case .headerTruncated(let byteCount):
      "not a btsnoop capture: it has \(byteCount) of the 16 bytes that a capture starts with"
    case .notBtsnoop: "not a btsnoop capture; record one with btmon -w FILE or accessoryctl capture FILE"
    case .unsupportedVersion(let version): "btsnoop version \(version) is unknown; this tool reads version 1"
    case .unsupportedDatalink(let code):
      "btsnoop datalink \(code) is unknown; this tool reads 1001 (HCI), 1002 (H4) and 2001 (monitor)"
    case .recordTruncated(let offset):
      "the capture ends inside the record at byte \(offset); the records before it are good"
    case .recordOversized(let offset, let byteCount):
      "the record at byte \(offset) claims \(byteCount) bytes, more than any packet has; what follows it is lost"
    }
  }
}
