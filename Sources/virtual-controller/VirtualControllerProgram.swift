// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import HCI
import LinuxSystem
import Manifest
import ManifestFormat
import SceneFormat
import VirtualRadio

/// The program `virtual-controller`: a scene's controller behind a UNIX socket, for other programs.
@main
enum VirtualControllerProgram {
  private static let sceneBytesMax = 1 << 24

  static func main() {
    StandardStreams.openMissing()
    exit(run(CommandLine.arguments))
  }

  /// Returns the exit status.
  private static func run(_ arguments: [String]) -> Int32 {
    Signals.ignoreBrokenPipe()
    do throws(VirtualControllerError) {
      try serve(arguments)
      return ExitCode.success.rawValue
    } catch {
      for line in error.lines { _ = LogOutput.write(Array("virtual-controller: \(line)\n".utf8)) }
      return error.status.rawValue
    }
  }

  private static func serve(_ arguments: [String]) throws(VirtualControllerError) {
    guard let options = try VirtualControllerOptions(arguments) else {
      return print(VirtualControllerOptions.help, terminator: "")
    }
    let controller = VirtualController(try scene(options.scene), seed: options.seed)
    do throws(SystemError) {
      var server = try VirtualControllerServer(controller, options.socket, options.kind)
      try server.run()
    } catch {
      throw .system(error, socket: options.socket)
    }
  }

  private static func scene(_ path: String) throws(VirtualControllerError) -> SceneScript {
    let text: [UInt8]
    do throws(FileError) { text = try FileContents(reading: path, byteCountMax: sceneBytesMax).bytes } catch {
      throw .file(path, error)
    }
    let reading = SceneReader.read(text: text, fileName: path)
    guard let scene = reading.value else { throw .scene(lines: reading.lines) }
    return scene
  }
}

/// Why `virtual-controller` ends early.
enum VirtualControllerError: Error {
  case commandLine(CommandLineOptions.ParseError)
  case seed(String)
  case noScene
  case noSocket
  case file(String, FileError)
  /// One line for each error.
  case scene(lines: [String])
  case system(SystemError, socket: String)

  var status: ExitCode {
    switch self {
    case .commandLine, .seed, .noScene, .noSocket: .usage
    case .file: .noInput
    case .scene: .dataError
    case .system(let error, _): Self.isAboutSocket(error) ? .cannotCreate : .systemError
    }
  }

  var lines: [String] {
    switch self {
    case .commandLine(.unknown(let option)): [usage("there is no option \(option.quoted)")]
    case .commandLine(.withoutValue(let option)): [usage("the option \(option.quoted) needs a value")]
    case .seed(let text): [usage("the seed \(text.quoted) is not a number; write --seed N")]
    case .noScene: [usage("a scene is needed: virtual-controller SCENE.toml")]
    case .noSocket: [usage("a socket is needed: --socket PATH")]
    case .file(let path, let error):
      ["cannot read the scene \(path.quoted): \(Self.reason(error)); name a scene file"]
    case .scene(let lines): lines
    case .system(let error, let socket):
      Self.isAboutSocket(error)
        ? [
          "cannot create the socket \(socket.quoted): \(error.reason); choose another path with --socket"
        ]
        : ["the system refused \(error.call.rawValue): \(error.reason)"]
    }
  }

  private func usage(_ sentence: String) -> String { "\(sentence); see virtual-controller --help" }

  private static func isAboutSocket(_ error: SystemError) -> Bool {
    switch error.call {
    case .bind, .chmod, .listen, .rename: true
    default: false
    }
  }

  private static func reason(_ error: FileError) -> String {
    switch error {
    case .system(let error): error.reason
    case .isDirectory: "it is a directory"
    case .isNotOrdinary: "it is not an ordinary file"
    case .tooLarge(let byteCountMax): "it is larger than \(byteCountMax >> 20) MiB"
    }
  }
}

extension String {
  /// The text in quotes, safe on a terminal.
  fileprivate var quoted: String { "\"\(escapedForDisplay(scalarCountMax: 200))\"" }
}
