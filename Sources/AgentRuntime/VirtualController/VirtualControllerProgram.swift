// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import ManifestFormat
import RoomFormat
import VirtualRadio

/// The program `virtual-controller`: a room's controller behind a UNIX socket, for other programs.
public enum VirtualControllerProgram {
  private static let roomBytesMax = 1 << 24

  static let help = """
    usage: virtual-controller ROOM.toml --socket PATH [--packets] [--seed N]

    Serves the controller of a room on a UNIX socket, in H4 packets, to one program at a time. SIGTERM ends it.

      --socket PATH   where programs connect
      --packets       packet by packet (SOCK_SEQPACKET) in place of a stream
      --seed N        in place of the room's own seed

    """

  enum Failure: Error {
    case usage(String)
    case file(path: String, FileError)
    /// Lines of everything that is wrong.
    case room([String])
    case system(SystemError)
  }

  /// `words` begin with the program's name. Answers the exit status.
  public static func run(_ words: [String]) -> Int32 {
    Signals.ignoreBrokenPipe()
    do throws(Failure) {
      guard let options = try VirtualControllerOptions(words) else {
        print(help, terminator: "")
        return ExitStatus.success.rawValue
      }
      let controller = Controller(try room(options.room), seed: options.seed)
      do throws(SystemError) {
        var server = try ControllerServer(controller, options.socket, options.kind)
        try server.run()
      } catch {
        throw .system(error)
      }
      return ExitStatus.success.rawValue
    } catch {
      for line in error.lines { _ = LogOutput.write(Array("virtual-controller: \(line)\n".utf8)) }
      return error.status.rawValue
    }
  }

  private static func room(_ path: String) throws(Failure) -> RoomScript {
    let text: [UInt8]
    do throws(FileError) { text = try FileContents(reading: path, byteCountMax: roomBytesMax).bytes } catch {
      throw .file(path: path, error)
    }
    let reading = RoomReader.read(text: text, fileName: path)
    guard let room = reading.value else { throw .room(reading.lines) }
    return room
  }
}

extension VirtualControllerProgram.Failure {
  var status: ExitStatus {
    switch self {
    case .usage: .usage
    case .file: .noInput
    case .room: .dataError
    case .system(let error): error.call == .bind || error.call == .rename ? .cannotCreate : .systemError
    }
  }

  var lines: [String] {
    switch self {
    case .usage(let sentence): ["\(sentence); see virtual-controller --help"]
    case .file(let path, let error): ["cannot read the room \(quoted(path)): \(error.sentence)"]
    case .room(let lines): lines
    case .system(let error): ["the system refused: \(error.sentence)"]
    }
  }
}
