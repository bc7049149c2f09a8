// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// The command line of `virtual-controller`.
struct VirtualControllerOptions {
  private enum Name: Int, CaseIterable {
    case socket, packets, seed, help

    var option: CommandLineOptions.Option {
      switch self {
      case .socket: .init("socket", takesValue: true)
      case .packets: .init("packets", takesValue: false)
      case .seed: .init("seed", takesValue: true)
      case .help: .init("help", takesValue: false)
      }
    }
  }

  let scene: String
  private(set) var socket = ""
  private(set) var kind = UnixSocketKind.stream
  private(set) var seed: UInt64?

  /// Returns nil when the caller asks for help. `arguments` begin with the program's name.
  init?(_ arguments: [String]) throws(VirtualControllerError) {
    let line: CommandLineOptions
    do throws(CommandLineOptions.ParseError) {
      line = try CommandLineOptions(arguments, Name.allCases.map(\.option))
    } catch {
      throw .commandLine(error)
    }
    for (option, value) in line.given {
      switch Name(rawValue: option) {
      case .socket: socket = value ?? ""
      case .packets: kind = .packets
      case .seed:
        guard let value, let number = UInt64(value) else { throw .seed(value ?? "") }
        seed = number
      case .help, nil: return nil
      }
    }
    guard let scene = line.otherArgument else { throw .noScene }
    guard !socket.isEmpty else { throw .noSocket }
    self.scene = scene
  }

  static let help = """
    usage: virtual-controller SCENE.toml --socket PATH [--packets] [--seed N]

    Simulates a Bluetooth controller and the devices of a scene. Serves the controller on a UNIX socket, in H4
    packets, to one program at a time: accessoryd opens it with radio = "h4:PATH".

      --socket PATH   where the program connects; any account that can enter the folder may
      --packets       one packet per message (SOCK_SEQPACKET) instead of a stream
      --seed N        replaces the scene's own seed
      --help          prints this text

    SIGTERM or Ctrl-C ends it. Exit status: 0, or as in sysexits.h: 64 usage, 65 a scene with errors, 66 no such
    file, 71 the system refused a call, 73 the socket cannot be created.

    """
}
