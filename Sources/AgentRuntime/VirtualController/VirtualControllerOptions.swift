// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// What the command line of `virtual-controller` asks for.
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

  let room: String
  private(set) var socket = ""
  private(set) var kind = LocalSocketKind.stream
  private(set) var seed: UInt64?

  /// Nil when help is asked for.
  init?(_ words: [String]) throws(VirtualControllerProgram.Failure) {
    let line: CommandLineOptions
    do throws(CommandLineOptions.Problem) {
      line = try CommandLineOptions(words, Name.allCases.map(\.option))
    } catch {
      switch error {
      case .unknown(let word): throw .usage("the option \(quoted(word)) is not understood")
      case .withoutValue(let word): throw .usage("the option \(quoted(word)) needs a value")
      }
    }
    for (option, value) in line.given {
      switch Name(rawValue: option) {
      case .socket: socket = value ?? ""
      case .packets: kind = .packets
      case .seed:
        guard let number = UInt64(value ?? "") else { throw .usage("a seed is a number: --seed N") }
        seed = number
      case .help, nil: return nil
      }
    }
    guard let room = line.otherWord else { throw .usage("a room is needed: virtual-controller ROOM.toml") }
    guard !socket.isEmpty else { throw .usage("a socket is needed: --socket PATH") }
    self.room = room
  }
}
