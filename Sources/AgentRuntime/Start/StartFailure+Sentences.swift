// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import ManifestFormat
import Setup

// What the agent says when it cannot start: what happened, where, and what to do.

extension StartFailure {
  /// One line, or one for each thing that is wrong with a file.
  var sentences: [String] {
    switch self {
    case .usage(let problem): ["\(problem.sentence); see accessoryd --help"]
    case .file(let role, let path, let error):
      ["cannot read the \(role.words) \(quoted(path)): \(error.sentence)"]
    case .protection(let role, let path, let problem):
      ["cannot rely on the \(role.words) \(quoted(path)): \(problem.sentence)"]
    case .content(let role, let path, _, let errorCount):
      findings + [
        "the \(role.words) \(quoted(path)) is wrong in \(Self.places(errorCount)); mend that and start again"
      ]
    case .noBoard(let name, let searched):
      [
        "there is no profile of the board \(quoted(name)): looked for "
          + searched.map(shown).joined(separator: ", ")
          + "; copy Board/generic.toml to one of these, or leave out `board` in the manifest"
      ]
    case .anotherAgent, .socketInUse, .notASocket, .socketTooLong, .socket: [socketSentence]
    case .system(let error):
      [
        "the system refused what every agent needs: \(error.sentence); free memory or descriptors and start again"
      ]
    }
  }

  /// What is wrong, for who asked to have the files read again.
  var findings: [String] {
    if case .content(_, _, let lines, _) = self { lines } else { sentences }
  }

  private var socketSentence: String {
    switch self {
    case .anotherAgent(let socket):
      "another agent serves \(quoted(socket)); end it first, or choose another place with --socket"
    case .socketInUse(let socket):
      "another program listens at \(quoted(socket)); end it first, or choose another place with --socket"
    case .notASocket(let path):
      "cannot make the socket \(quoted(path)): something else has that name; remove it, or choose another with --socket"
    case .socketTooLong(let path, let byteCountMax):
      "cannot make the socket \(quoted(path)): a socket's path has at most \(byteCountMax) bytes; choose a shorter one"
    case .socket(let path, let error):
      "cannot make the socket \(quoted(path)): \(Self.cure(of: error, at: path))"
    case .usage, .file, .protection, .content, .noBoard, .system: preconditionFailure("not about the socket")
    }
  }

  private static func cure(of error: SystemError, at path: String) -> String {
    if error.isExhausted { return "\(error.sentence); free some, or raise the limit (ulimit -n)" }
    if error.isMissing { return "there is no folder \(quoted(Path.folder(of: path))); make it first" }
    if error.isPermission {
      return
        "the agent's account may not write \(quoted(Path.folder(of: path))); give it the folder, or use another"
    }
    return "\(error.sentence); choose another place with --socket"
  }

  private static func places(_ count: Int) -> String { count == 1 ? "one place" : "\(count) places" }
}

extension ConfigurationFile.Role {
  fileprivate var words: String {
    switch self {
    case .manifest: "manifest"
    case .identityKeys: "identity keys"
    case .board: "board profile"
    }
  }
}

extension UsageProblem {
  fileprivate var sentence: String {
    switch self {
    case .line(.unknown(let word)): "the option \(quoted(word)) is not understood"
    case .line(.withoutValue(let word)): "the option \(quoted(word)) needs a value"
    case .word(let word): "the word \(quoted(word)) belongs to no option"
    case .noManifest: "a manifest is needed: --manifest FILE"
    case .noSocket: "the socket needs a path: --socket PATH"
    case .noState: "the state needs a folder: --state FOLDER"
    case .radio(let text):
      "\(quoted(text)) is no radio; it is any, hci0, an address, btsnoop:FILE or h4:PATH"
    case .simulatedRadio(let scene): "--radio: \(FormatDiagnostic.simulatedRadio(scene: scene))"
    case .logLevel(let word): "\(quoted(word)) is no level; it is error, warning, notice, info or debug"
    }
  }
}
