// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import ManifestFormat
import Setup

// The sentences of a start that failed: what happened, where, and what to do.

extension StartError {
  /// One line, or one for each error in a file.
  var sentences: [String] {
    switch self {
    case .usage(let error): ["\(error.sentence); see accessoryd --help"]
    case .file(let role, let path, let error):
      ["cannot read the \(role.name) \(quoted(path)): \(error.sentence)"]
    case .protection(let role, let path, let error):
      ["cannot trust the \(role.name) \(quoted(path)): \(error.sentence)"]
    case .content(let role, let path, _, let errorCount):
      findings + [
        "the \(role.name) \(quoted(path)) has \(Self.errors(errorCount)); "
          + "correct \(errorCount == 1 ? "it" : "them") and start again"
      ]
    case .noBoard(let name, let searched):
      [
        "there is no profile of the board \(quoted(name)); searched for "
          + searched.map(shown).joined(separator: ", ")
          + "; copy Board/generic.toml to one of these paths, or leave out `board` in the manifest"
      ]
    case .anotherAgent, .socketInUse, .notASocket, .socketTooLong, .socket: [socketSentence]
    case .tooFewDescriptors(let limit, let needed):
      [
        "the process may open only \(limit) descriptors, too few to serve any client; "
          + "raise the limit to \(needed) (LimitNOFILE of the unit, or ulimit -n)"
      ]
    case .system(let error):
      [
        "the system refused a call that the agent needs: \(error.sentence); free memory or descriptors and start again"
      ]
    }
  }

  /// The errors, for the client that asked for a reload.
  var findings: [String] {
    if case .content(_, _, let lines, _) = self { lines } else { sentences }
  }

  private var socketSentence: String {
    switch self {
    case .anotherAgent(let socket):
      "another agent serves \(quoted(socket)); end it first, or choose another path with --socket"
    case .socketInUse(let socket):
      "another program listens at \(quoted(socket)); end it first, or choose another path with --socket"
    case .notASocket(let path):
      "cannot create the socket \(quoted(path)): another kind of file has that name; remove it, or choose another "
        + "path with --socket"
    case .socketTooLong(let path, let byteCountMax):
      "cannot create the socket \(quoted(path)): a socket's path has at most \(byteCountMax) bytes; "
        + "choose a shorter one"
    case .socket(let path, let error):
      "cannot create the socket \(quoted(path)): \(Self.cure(of: error, at: path))"
    case .usage, .file, .protection, .content, .noBoard, .tooFewDescriptors, .system:
      preconditionFailure("not about the socket")
    }
  }

  private static func cure(of error: SystemError, at path: String) -> String {
    if error.isExhausted { return "\(error.sentence); free some, or raise the limit (ulimit -n)" }
    if error.isMissing { return "there is no folder \(quoted(Path.folder(of: path))); create it first" }
    if error.isPermission {
      return
        "the agent's account may not write \(quoted(Path.folder(of: path))); give it the folder, or use another"
    }
    return "\(error.sentence); choose another path with --socket"
  }

  private static func errors(_ count: Int) -> String { count == 1 ? "one error" : "\(count) errors" }
}

extension TrustedFile.Role {
  fileprivate var name: String {
    switch self {
    case .manifest: "manifest"
    case .identityKeys: "identity keys"
    case .board: "board profile"
    }
  }
}

extension UsageError {
  fileprivate var sentence: String {
    switch self {
    case .line(.unknown(let option)): "there is no option \(quoted(option))"
    case .line(.withoutValue(let option)): "the option \(quoted(option)) needs a value"
    case .unexpectedArgument(let argument): "the argument \(quoted(argument)) belongs to no option"
    case .noManifest: "a manifest is needed: --manifest FILE"
    case .noSocket: "the socket needs a path: --socket PATH"
    case .noState: "the state needs a folder: --state FOLDER"
    case .radio(let text):
      "--radio: \(quoted(text)) is not a radio; write any, hci0, an address, btsnoop:FILE or h4:PATH"
    case .simulatedRadio(let scene): "--radio: \(FormatDiagnostic.simulatedRadio(scene: scene).sentence)"
    case .logLevel(let text):
      "--log-level: \(quoted(text)) is not a level; write error, warning, notice, info or debug"
    }
  }
}
